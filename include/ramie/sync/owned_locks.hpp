// Not for users.
//
// How many locks a fiber owns, in builds with RAMIE_ASSERTIONS: one that ends with any is named and ended. Nothing
// elsewhere.
#pragma once

#include <ramie/base/config.hpp>

namespace ramie::detail {

#if RAMIE_ASSERTIONS
/// The calling fiber's, if there is one.
void change_owned_locks(int by) noexcept;
#else
inline void change_owned_locks(int) noexcept {}
#endif

inline void count_owned_lock() noexcept { change_owned_locks(1); }
inline void count_given_up_lock() noexcept { change_owned_locks(-1); }
inline bool count_owned_lock_if(bool got) noexcept {
  if (got) count_owned_lock();
  return got;
}

}  // namespace ramie::detail
