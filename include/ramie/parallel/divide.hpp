// How a parallel algorithm divides its range: by demand for work, not by the number of workers.
//
// The range is halved by forks until a half is a leaf, a plain loop of a few microseconds (pace.hpp). A fork that
// nobody takes is a frame on the stack, and its join a call: so where no worker is hungry the halves run from left to
// right on one stack, and dividing costs nothing worth mentioning. Where one is, it takes the oldest fork, which is the
// largest half, without help of the worker that runs a leaf. The rest of that leaf is all that nobody can take. So a
// leaf that takes much longer than leaves did looks between blocks whether a worker wants work, and if so divides its
// rest. (Splitting by demand: Tzannes, Caragea, Vishkin, Barua, "Lazy Scheduling", TOPLAS 2014, where the owner splits,
// whenever its deque is empty.)
//
// A right half that nobody has taken begins where the left one has ended, and goes on with the left half's state: its
// pace, and its *view*, for example the sum so far. Only a half that was taken has to begin a view of its own, which is
// added to the other one afterwards (as the hyperobjects of Cilk++: Frigo, Halpern, Leiserson, Lewin-Berlin, SPAA
// 2009). So on one worker a reduction is one plain loop, and a scan reads its input once.
//
// A Work has:
//   view                              what pieces that run one after another hand on
//   aside                             what a half leaves that ran apart from the one before it; no default value throws
//   run(view&, begin, end)            a block of elements, one after another
//   run_apart(division&, begin, end, aside&)   a half that somebody has taken
//   absorb(division&, view&, aside&)  puts together; the view is that of all elements before. Called also after a
//                                     request to stop, if that has left out nothing yet
#pragma once

#include <ramie/base/provider.hpp>
#include <ramie/parallel/fork_join.hpp>
#include <ramie/parallel/large_values.hpp>
#include <ramie/parallel/pace.hpp>
#include <ramie/parallel/permit.hpp>
#include <ramie/parallel/policy.hpp>

#include <cstddef>
#include <type_traits>

namespace ramie::detail {

/// Calls function() on the calling fiber if `on` is null or its runtime; else on a fiber of that one, or, from a thread
/// that runs none, of scheduler_init()'s.
template <class Function>
void on_a_fiber(runtime* on, const Function& function) {
  const worker* const here = worker::current();
  if (here != nullptr && (on == nullptr || on == &here->home())) [[likely]]
    return function();
  call_from_outside(function, on);
}

/// The same for a function that may have to wait for its turn. The run loop, where the destructor of a refused task's
/// captures may call an algorithm, cannot: there it is a fiber of its own, and spawn_error if that gets no stack.
template <class Function>
void on_a_fiber_that_may_wait(runtime* on, const Function& function) {
  const worker* const here = worker::current();
  if (here != nullptr && here->current_fiber() == nullptr) [[unlikely]]
    return call_from_outside(function, on != nullptr ? on : &here->home());
  on_a_fiber(on, function);
}

template <class Work>
class division {
 public:
  using view = typename Work::view;
  using aside = typename Work::aside;

  division(const Work& work, const parallel_policy& policy, permit& may) : m_work(work), m_policy(policy), m_may(may) {}

  /// Runs elements begin … end - 1. Returns when all have returned; those that were not permitted are left out.
  void run(std::size_t begin, std::size_t end, view& seen) {
    pace mine(m_policy);
    divide(begin, end, seen, mine);
  }

  [[nodiscard]] const parallel_policy& policy() const { return m_policy; }
  [[nodiscard]] permit& may() const { return m_may; }

 private:
  // Not inlined: gcc would unroll the recursion into frames of twice the size.
  [[gnu::noinline]] void divide(std::size_t begin, std::size_t end, view& seen, pace& mine) {
    while (mine.is_leaf(end - begin)) {
      if (begin == end || !m_may.may_begin()) return;
      begin = leaf(begin, end, seen, mine);
    }
    if (!m_may.may_begin()) return;

    const std::size_t middle = mine.middle(begin, end);
    native_provider::atomic<bool> left_is_done{false};
    compact_optional<aside> apart;
    // On a fiber already.
    fork_all(
        *worker::current(),
        [&] {
          divide(begin, middle, seen, mine);
          // [D1] release: the view and the pace; pairs with [D2]. Weaker: the right half goes on with stale ones.
          left_is_done.store(true, std::memory_order_release);
        },
        [&] {
          // [D2] acquire; pairs with [D1]. The fiber of the left half only waits for this right half then, wherever
          // that runs.
          if (left_is_done.load(std::memory_order_acquire)) {
            divide(middle, end, seen, mine);
          } else if (apart.make() && m_may.may_begin()) {
            run_apart(middle, end, *apart);
          }
        });
    if (apart.has_failed()) {
      mine.pause();
      return divide(middle, end, seen, mine);
    }
    if (apart) {
      mine.pause();
      // Where pieces were left out, so is this: there may be nothing to put together. Where none was, a request to stop
      // comes too late for it.
      if (m_may.all_pieces_ran()) absorb(seen, *apart);
    }
  }

  // Not inlined, so that the room for their objects, a sum for example, is not in the frame of each level.
  [[gnu::noinline]] void run_apart(std::size_t begin, std::size_t end, aside& apart) {
    m_may.guard([&] { m_work.run_apart(*this, begin, end, apart); });
  }
  [[gnu::noinline]] void absorb(view& seen, aside& apart) {
    m_may.guard([&] { m_work.absorb(*this, seen, apart); });
  }

  // Returns where it has stopped: at the end, or before it where the rest should be divided.
  [[gnu::noinline]] std::size_t leaf(const std::size_t begin, const std::size_t end, view& seen, pace& mine) {
    return m_may.guard([&] {
      mine.begin_leaf();
      const std::size_t block = mine.block();
      std::size_t at = begin;
      for (;;) {
        const std::size_t next = end - at > block ? at + block : end;
        m_work.run(seen, at, next);
        at = next;
        if (at == end || !m_may.may_begin()) break;
        // Looked up each time: elements may suspend, and the fiber goes on elsewhere.
        if (worker::current()->forks().wanted() && mine.is_late()) [[unlikely]]
          break;
      }
      mine.end_leaf(at - begin);
      return at;
    });
  }

  const Work& m_work;
  const parallel_policy& m_policy;
  permit& m_may;
};

/// All of an algorithm: elements 0 … count - 1, from any fiber, or from a thread as fork_join(). Returns when all have
/// returned; throws an element's exception (of several, the first in the order of the elements), or `stopped`.
template <class Work>
void run_divided(const parallel_policy& policy, std::size_t count, const Work& work, typename Work::view& seen) {
  on_a_fiber(policy.on, [&] {
    permit may(policy.stop);
    division<Work>(work, policy, may).run(0, count, seen);
    may.conclude();
  });
}

/// A Work without a result. loop(begin, end) runs elements begin … end - 1.
template <class Loop>
struct loop_work {
  struct view {};
  struct aside {};
  void run(view&, std::size_t begin, std::size_t end) const { loop(begin, end); }
  void run_apart(division<loop_work>& whole, std::size_t begin, std::size_t end, aside&) const {
    view none;
    whole.run(begin, end, none);
  }
  void absorb(division<loop_work>&, view&, aside&) const {}

  Loop loop;
};
template <class Loop>
loop_work(Loop) -> loop_work<Loop>;

template <class Loop>
void run_loop_divided(const parallel_policy& policy, std::size_t count, Loop loop) {
  typename loop_work<Loop>::view none;
  run_divided(policy, count, loop_work<Loop>{loop}, none);
}

}  // namespace ramie::detail
