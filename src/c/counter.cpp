#include "c/objects.hpp"

#include <memory>
#include <string>

namespace c = ramie::c;

static_assert(RAMIE_COUNTER_MAX == ramie::counter::max);

int ramie_counter_new(std::int64_t count, ramie_counter** made) {
  return c::guarded([&] {
    c::expect(made, "ramie_counter_new", c::the_place);
    if (count < 0 || count > RAMIE_COUNTER_MAX) {
      throw c::bad_argument("ramie_counter_new was given the count " + std::to_string(count) +
                            "; it must be between 0 and 2^60 - 1");
    }
    *made = std::make_unique<ramie_counter>(count).release();
  });
}

void ramie_counter_free(ramie_counter* counter) { delete counter; }

void ramie_counter_add(ramie_counter* counter, std::int64_t amount) {
  c::require(counter, "ramie_counter_add", c::the_counter);
  counter->held.add(amount);
}

void ramie_counter_decrement(ramie_counter* counter, std::int64_t amount) {
  c::require(counter, "ramie_counter_decrement", c::the_counter);
  counter->held.decrement(amount);
}

std::int64_t ramie_counter_value(const ramie_counter* counter) {
  c::require(counter, "ramie_counter_value", c::the_counter);
  return counter->held.value();
}

int ramie_counter_wait(ramie_counter* counter, std::int64_t target) {
  return c::guarded([&] {
    c::expect(counter, "ramie_counter_wait", c::the_counter);
    if (target < 0) {
      throw c::bad_argument("ramie_counter_wait was given the target " + std::to_string(target) +
                            ", which no counter reaches; give 0 or more");
    }
    ramie::wait_for_counter(counter->held, target);
  });
}

int ramie_spawn_with_counter(ramie_counter* counter, const ramie_spawn_options* options, ramie_function function,
                             void* argument) {
  return c::guarded([&] {
    c::expect(counter, "ramie_spawn_with_counter", c::the_counter);
    c::expect(reinterpret_cast<const void*>(function), "ramie_spawn_with_counter", c::the_function);
    const c::call what{function, argument};
    if (options == nullptr) return ramie::spawn_with_counter(counter->held, what);
    ramie::spawn_with_counter(counter->held, c::spawn_options_of(*options), what);
  });
}
