// Not for users. The turn to take the completions of a driver: its own worker has it, or another worker while its own
// is busy.
//
// One at a time. A worker that finds the turn taken does not wait for it, and still loses nothing: it leaves a request
// in the word, and the holder of the turn looks again before it gives the turn back. The word: 0, or 1 while the turn
// is taken, and one more for each request since.
//
//   comer    sees a completion   R1 word + 1: if it was 0, the comer is the holder; else the comer is done
//   holder   looks               R2 word: if it has not changed since before the look, → 0, and the turn is over;
//                                   else looks again
#pragma once

#include <ramie/base/provider.hpp>

#include <cstdint>

namespace ramie::detail {

template <class Provider = native_provider>
class reap_turn {
 public:
  /// Any thread. Calls look(), again as long as others come meanwhile. False: somebody else has the turn, and looks
  /// once more after this call; or the worker is on its way to another thread, which looks first of all.
  template <class Look>
  bool take(Look&& look) {
    // [R1] acq_rel. Acquire: the accesses of the holder before to the driver; pairs with [R2]. Release: the completion
    // that a comer has seen before it found the turn taken; pairs with [R3]. Weaker: two threads in one driver, or a
    // completion that its comer saw and the holder's last look did not.
    if (m_word.fetch_add(1, std::memory_order_acq_rel) != 0) return false;
    std::uint32_t seen = 1;
    do {
      look();
      // [R2] release, pairs with [R1]. [R3] acquire, of the requests; pairs with [R1].
    } while (!m_word.compare_exchange_strong(seen, 0, std::memory_order_release, std::memory_order_acquire));
    return true;
  }

  /// The thread that holds the worker: act() while nobody else has the turn. It looks itself afterwards, for threads
  /// that come meanwhile. Waits for a look in progress.
  template <class Act>
  void exclude(Act&& act) {
    std::uint32_t free = 0;
    // [R4] acquire, pairs with [R2].
    for (unsigned round = 1;
         !m_word.compare_exchange_weak(free, 1, std::memory_order_acquire, std::memory_order_relaxed); ++round) {
      free = 0;
      round % 64 != 0 ? Provider::pause() : Provider::yield_thread();
    }
    const give_back after(m_word);
    act();
  }

 private:
  using word = typename Provider::template atomic<std::uint32_t>;
  struct give_back {  // also where act() throws
    explicit give_back(word& of) : taken(of) {}
    give_back(const give_back&) = delete;
    give_back& operator=(const give_back&) = delete;
    // [R5] acq_rel. Release: pairs with [R1] and [R4]. Acquire: the completions that threads have seen that came
    // meanwhile; pairs with [R1]. Weaker: they leave a completion to the caller, and the caller, which asks its driver
    // first whether there is anything, does not see it. A read-modify-write, which reads the last of them.
    ~give_back() { taken.exchange(0, std::memory_order_acq_rel); }
    word& taken;
  };

  word m_word{0};
};

}  // namespace ramie::detail
