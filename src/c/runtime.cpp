#include "c/objects.hpp"

#include <ramie/base/assert.hpp>
#include <ramie/base/exit_watch.hpp>
#include <ramie/scheduler/hand_over.hpp>

#include <memory>

namespace c = ramie::c;

int ramie_run(const ramie_options* options, ramie_function function, void* argument, void** result) {
  int error = RAMIE_OK;
  const int refused = c::guarded([&] {
    c::expect(reinterpret_cast<const void*>(function), "ramie_run", c::the_function);
    ramie::runtime home(c::options_of(options));
    auto first = home.spawn(ramie::spawn_options{.name = "main"}, c::call{function, argument});
    try {
      home.run();
    } catch (...) {
      first.detach();
      throw;
    }
    error = c::join_into(first, result);
  });
  return refused != RAMIE_OK ? refused : error;
}

int ramie_runtime_new(const ramie_options* options, ramie_runtime** made) {
  return c::guarded([&] {
    c::expect(made, "ramie_runtime_new", c::the_place);
    *made = std::make_unique<ramie_runtime>(c::options_of(options)).release();
  });
}

void ramie_runtime_free(ramie_runtime* runtime) {
  if (runtime == nullptr) return;
  if (ramie::detail::is_within(runtime->held)) {
    ramie::detail::continue_exit();
    ramie::detail::fail(
        "ramie_runtime_free was called by one of the runtime's own fibers, which would wait for itself.",
        "Call it from outside.");
  }
  delete runtime;
}

int ramie_runtime_start(ramie_runtime* runtime) {
  return c::guarded([&] {
    c::expect(runtime, "ramie_runtime_start", c::the_runtime);
    runtime->held.start();
  });
}

int ramie_runtime_stop(ramie_runtime* runtime) {
  return c::guarded([&] {
    c::expect(runtime, "ramie_runtime_stop", c::the_runtime);
    runtime->held.stop();
  });
}

int ramie_runtime_run(ramie_runtime* runtime) {
  return c::guarded([&] {
    c::expect(runtime, "ramie_runtime_run", c::the_runtime);
    runtime->held.run();
  });
}

unsigned ramie_runtime_worker_count(const ramie_runtime* runtime) {
  c::require(runtime, "ramie_runtime_worker_count", c::the_runtime);
  return runtime->held.worker_count();
}
