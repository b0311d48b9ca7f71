// For AddressSanitizer: when a worker asks for the bounds of its thread's stack (context/sanitizer.hpp), it gets those
// of the simulated thread's. The library is compiled with pthread_getattr_np renamed to this.
#undef pthread_getattr_np

#include <simulation/simulator/coroutine_stacks.hpp>
#include <simulation/simulator/machine.hpp>

#include <pthread.h>

extern "C" int ramie_simulated_getattr_np(pthread_t which, pthread_attr_t* attributes);

extern "C" int ramie_simulated_getattr_np(pthread_t which, pthread_attr_t* attributes) {
  ramie::sim::machine* const here = ramie::sim::machine::current();
  if (here == nullptr) return ::pthread_getattr_np(which, attributes);
  const int error = ::pthread_attr_init(attributes);
  if (error != 0) return error;
  return ::pthread_attr_setstack(attributes, here->running().stack, ramie::sim::coroutine_stacks::size);
}
