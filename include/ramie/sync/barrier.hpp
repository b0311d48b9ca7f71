// Barriers, as std::barrier: a number of parties that go on together, phase after phase.
#pragma once

#include <ramie/sync/barrier_core.hpp>
#include <ramie/sync/wait_in.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace ramie {

namespace detail {

struct no_completion {
  void operator()() noexcept {}
};

[[noreturn, gnu::cold]] void barrier_begins_wrong(std::ptrdiff_t most);
[[noreturn, gnu::cold]] void barrier_arrived_too_often();
[[noreturn, gnu::cold]] void barrier_destroyed();

}  // namespace detail

/// Names, signatures and meaning are those of std::barrier; beyond it, waits block the calling fiber, not its worker
/// (on a thread that runs no fiber: the thread), and may be given limits. Any fiber or thread may call anything, and
/// any of them may wait with a token.
///
/// The last party to arrive in a phase calls the completion function, within its call of arrive(), before anybody goes
/// on; no lock is held meanwhile, so the function may wait. All that was done before the arrivals is visible to it, and
/// what it has done to all that go on. Waiters are woken in the order in which they came. Must not be destroyed while
/// somebody waits (the process ends and says so, where it sees it); a thread whose wait() has returned may destroy it,
/// if nobody else will use it.
///
/// Most calls are one compare-exchange; the last arrival takes a lock for some instructions.
template <class CompletionFunction = detail::no_completion>
class barrier {
  static_assert(std::is_nothrow_invocable_v<CompletionFunction&>,
                "the completion function of a barrier is called without arguments, and must be noexcept");
  using core = detail::barrier_core<>;

 public:
  /// The phase of an arrival. To be waited with in that phase, or the one after it.
  class arrival_token {
   public:
    arrival_token(arrival_token&&) noexcept = default;
    arrival_token& operator=(arrival_token&&) noexcept = default;
    arrival_token(const arrival_token&) = delete;
    arrival_token& operator=(const arrival_token&) = delete;
    ~arrival_token() = default;

   private:
    friend class barrier;
    explicit arrival_token(core::phase of) : m_phase(of) {}
    core::phase m_phase;
  };

  static constexpr std::ptrdiff_t max() noexcept { return detail::most_arrivals; }

  /// Throws misuse if `expected` is not between 0 and max().
  constexpr explicit barrier(std::ptrdiff_t expected, CompletionFunction completion = CompletionFunction())
      : m_core(checked(expected)), m_completion(std::move(completion)) {}
  ~barrier() {
    if (m_core.has_waiters()) [[unlikely]]
      detail::barrier_destroyed();
  }
  barrier(const barrier&) = delete;
  barrier& operator=(const barrier&) = delete;

  /// Blocks nothing, but for what the completion function does. More than the phase still expects must not arrive: the
  /// process ends and says so.
  [[nodiscard]] arrival_token arrive(std::ptrdiff_t update = 1) { return arrival_token(arrive(update, false)); }
  /// Until the phase is over in which the token was had.
  void wait(arrival_token&& arrival) const { wait_for(arrival.m_phase); }
  /// Or until one of the limits: timed_out or cancelled. The arrival counts all the same, and one can wait again.
  /// Throws std::bad_alloc where there is no room for the deadline.
  [[nodiscard]] wake_reason wait(const arrival_token& arrival, const wait_limits& limits) const {
    if (m_core.is_over(arrival.m_phase)) return wake_reason::woken;
    core::node mine(arrival.m_phase);
    return detail::wait_in(m_core, mine, "wait()", limits);
  }
  void arrive_and_wait() { wait_for(arrive(1, false)); }
  /// Arrives in this phase, and is not expected in any later one.
  void arrive_and_drop() { static_cast<void>(arrive(1, true)); }

 private:
  static constexpr std::ptrdiff_t checked(std::ptrdiff_t expected) {
    if (expected < 0 || expected > max()) detail::barrier_begins_wrong(max());
    return expected;
  }

  core::phase arrive(std::ptrdiff_t update, bool drops) {
    core::phase mine = 0;
    if (update < 1 || !m_core.arrive(
                          update, drops, mine, [this] { m_completion(); }, [](work_item& waiter) { wake(waiter); }))
        [[unlikely]]
      detail::barrier_arrived_too_often();
    return mine;
  }
  void wait_for(core::phase mine) const {
    if (m_core.is_over(mine)) return;
    core::node waits(mine);
    detail::wait_in(m_core, waits, "wait()");
  }

  mutable core m_core;
  [[no_unique_address]] CompletionFunction m_completion;
};

}  // namespace ramie
