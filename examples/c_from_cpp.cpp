// The C interface from C++, as a binding for another language would use it: handles, error codes, and an exception that
// stays on its side of the border.
#include <ramie/c/ramie.h>

#include <cstdint>
#include <cstdio>
#include <stdexcept>

namespace {

void* square(void* of) {
  const auto number = reinterpret_cast<std::intptr_t>(of);
  if (number == 3) throw std::domain_error("three is not squared here");
  return reinterpret_cast<void*>(number * number);
}

void* first(void*) {
  ramie_fiber* fibers[5] = {};
  for (std::intptr_t i = 0; i < 5; ++i) {
    const int error = ramie_spawn(&fibers[i], nullptr, square, reinterpret_cast<void*>(i));
    if (error != RAMIE_OK) std::printf("%s: %s\n", ramie_strerror(error), ramie_last_error());
  }
  for (ramie_fiber* const each : fibers) {
    void* result = nullptr;
    const int error = each != nullptr ? ramie_join(each, &result) : RAMIE_ERROR_ARGUMENT;
    if (error == RAMIE_OK) {
      std::printf("%ld\n", static_cast<long>(reinterpret_cast<std::intptr_t>(result)));
    } else {
      std::printf("%s: %s\n", ramie_strerror(error), ramie_last_error());
    }
  }
  return nullptr;
}

}  // namespace

int main() {
  ramie_options options = RAMIE_OPTIONS_INIT;
  options.workers = 2;
  const int error = ramie_run(&options, first, nullptr, nullptr);
  if (error != RAMIE_OK) std::fprintf(stderr, "%s: %s\n", ramie_strerror(error), ramie_last_error());
  return error;
}
