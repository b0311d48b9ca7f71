// Not for users.
//
// A word with a lock in it: bit 0 says that somebody has the lock, the other bits are the object's. So an object whose
// bits say all that most calls need is changed by one compare-exchange, and else by the holder of the lock, which gives
// it up with the new bits in one plain store. That store is the holder's last access: an object that a thread finds
// unlocked and in the state that it waited for may be destroyed.
//
// Held for some instructions, and never across a switch. A thread that finds it taken spins, and gives its processor
// away now and then, since the kernel may have stopped the holder.
#pragma once

#include <ramie/base/provider.hpp>

#include <cstdint>

namespace ramie::detail {

template <class Provider = native_provider>
class locked_word {
 public:
  using word_type = typename Provider::template atomic<std::uint64_t>;

  static constexpr std::uint64_t locked = 1;

  constexpr explicit locked_word(std::uint64_t bits = 0) : m_word(bits) {}

  /// A guess by the time it is read. `order` is acquire where the reader goes by what it says.
  [[nodiscard]] std::uint64_t load(std::memory_order order) const { return m_word.load(order); }

  /// Without the lock: from `expected`, which has no `locked`, to `bits`. Weak: may fail for no reason.
  [[nodiscard]] bool change(std::uint64_t& expected, std::uint64_t bits, std::memory_order order) {
    return m_word.compare_exchange_weak(expected, bits, order, std::memory_order_relaxed);
  }

  /// The word itself, for those without the lock: their orders then stand at their own operations, where the model
  /// checker puts its faults. To be changed only from a value that has no `locked`.
  [[nodiscard]] word_type& word() { return m_word; }
  [[nodiscard]] const word_type& word() const { return m_word; }

  /// Returns the bits.
  [[nodiscard]] std::uint64_t lock() {
    for (unsigned round = 1;; ++round) {
      std::uint64_t bits = m_word.load(std::memory_order_relaxed);
      if ((bits & locked) == 0) {
        // [L1] acquire: what the lock guards, as the last holder has left it; pairs with [L2]. Weaker: a stale list.
        if (m_word.compare_exchange_weak(bits, bits | locked, std::memory_order_acquire, std::memory_order_relaxed)) {
          return bits;
        }
      } else {
        round % 64 != 0 ? Provider::pause() : Provider::yield_thread();
      }
    }
  }

  void unlock(std::uint64_t bits) {
    // [L2] release: what the lock guards; pairs with [L1], and with loads that go by what the bits say.
    m_word.store(bits, std::memory_order_release);
  }

 private:
  word_type m_word;
};

}  // namespace ramie::detail
