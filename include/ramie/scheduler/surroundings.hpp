// Not for users.
//
// What surrounds a fiber, or a thread that runs none: the cancellation of the innermost scope, and context values. One
// pointer in the fiber (and in thread_parker) to a list of `surroundings`, each on the stack of whoever opened it; null
// for fibers that have nothing of the kind, and all that those pay is a look at it before a wait.
//
//     scope, shield, context_value::binding    push a surroundings, and take it off in reverse order
//     a wait                                   ends with the cancellation that current() names, if it names one
//
// Waits are shielded by themselves where an exception could not be caught: during unwinding (more exceptions in flight
// than when the scope was entered), and where the search for a handler would end in std::terminate
// (throw_would_terminate.hpp).
#pragma once

#include <ramie/scheduler/cancelled.hpp>
#include <ramie/scheduler/worker.hpp>

#include <utility>

namespace ramie {
namespace detail {

class cancellation;  // cancellation.hpp
struct bound_value;

struct surroundings {
  cancellation* scope = nullptr;        // null: nothing ends waits
  int exceptions_before = 0;            // std::uncaught_exceptions() where the scope was entered
  const bound_value* values = nullptr;  // the newest; see context_value.hpp
};

/// Where the pointer of the calling fiber or thread lies. It stays there for the fiber's or thread's life.
[[nodiscard]] const surroundings*& surroundings_slot();

/// What ends waits here, as far as can be told without a look at the stack: null within shields, and during unwinding.
[[nodiscard]] cancellation* current_cancellation();
/// The same with a look at the stack: several µs. For scopes, whose end throws what a wait in them has thrown.
[[nodiscard]] cancellation* cancellation_for_scope();

/// Whether an exception is in flight here that has left the scope around: handles that are destroyed then are waited
/// for.
[[nodiscard]] cancellation* unwinding_scope() noexcept;

[[nodiscard]] bool has_surroundings_off_fiber();

/// Whether a wait here needs a record. `here` is worker::current().
[[nodiscard, gnu::always_inline]] inline bool has_surroundings(const worker* here) {
  if (here == nullptr || here->current_fiber() == nullptr) [[unlikely]]
    return has_surroundings_off_fiber();
  return here->current_fiber()->around != nullptr;
}

/// Pushed for the life of the object.
class surrounded {
 public:
  explicit surrounded(const surroundings& within)
      : m_mine(within), m_slot(surroundings_slot()), m_outer(std::exchange(m_slot, &m_mine)) {}
  /// By nothing.
  explicit surrounded(std::nullptr_t) : m_slot(surroundings_slot()), m_outer(std::exchange(m_slot, nullptr)) {}
  surrounded(const surrounded&) = delete;
  surrounded& operator=(const surrounded&) = delete;
  ~surrounded() { m_slot = m_outer; }

  /// What surrounds the caller, to be changed and pushed.
  [[nodiscard]] static surroundings current() {
    const surroundings* const around = surroundings_slot();
    return around != nullptr ? *around : surroundings();
  }

 private:
  const surroundings m_mine;
  const surroundings*& m_slot;
  const surroundings* const m_outer;
};

}  // namespace detail

class shield {
 public:
  shield() : m_shielded({.values = detail::surrounded::current().values}) {}

 private:
  const detail::surrounded m_shielded;
};

}  // namespace ramie
