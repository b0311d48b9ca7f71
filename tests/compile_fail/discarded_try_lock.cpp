// expect: nodiscard | ignoring return value
#include <ramie/base/futex_lock.hpp>

#ifdef RAMIE_MISUSE
#pragma GCC diagnostic error "-Wunused-result"
#endif

void use(ramie::futex_lock<>& lock) {
#ifdef RAMIE_MISUSE
  lock.try_lock();  // held or not: nobody knows
#else
  if (lock.try_lock()) lock.unlock();
#endif
}
