// The shared mutex, without knowing what a fiber is: the part that the model checker runs.
//
// One word: readers << 3 | waiting << 2 | writer << 1 | locked; `locked` is the lock of the two lists of waiters. While
// nobody waits, each call is one compare-exchange.
//
// Phases take turns while both kinds wait. Readers that come while a writer waits wait too, so the last reader ends
// their phase and hands the mutex to the first writer. The writer that leaves lets all readers in that have waited by
// then, and the next writer follows them. So each waits for one phase of the others, and neither starves. (Brandenburg,
// Anderson, "Spin-based reader-writer synchronization for multiprocessor real-time systems", 2010: phase-fair.)
#pragma once

#include <ramie/base/provider.hpp>
#include <ramie/sync/locked_word.hpp>
#include <ramie/sync/wait_list.hpp>

#include <cstdint>

namespace ramie::detail {

template <class Provider = native_provider>
class shared_mutex_core {
 public:
  using node = wait_node<Provider>;

  constexpr shared_mutex_core() = default;

  [[nodiscard]] bool is_held() const { return (m_word.load(std::memory_order_relaxed) & ~waiting) != 0; }
  [[nodiscard]] bool has_waiters() const { return (m_word.load(std::memory_order_relaxed) & waiting) != 0; }

  /// Any thread. Does not fail for no reason.
  [[nodiscard]] bool try_lock() {
    std::uint64_t word = m_word.load(std::memory_order_relaxed);
    while (is_free(word)) {
      if ((word & word_type::locked) != 0) {
        word = m_word.lock();
        const bool got = is_free(word);
        m_word.unlock(got ? word | writer : word);
        return got;
      }
      // [X1] acquire: what the owners before have done; pairs with [X3] and [X4]. Weaker: it is not seen.
      if (m_word.word().compare_exchange_weak(word, word | writer, std::memory_order_acquire,
                                              std::memory_order_relaxed))
        return true;
    }
    return false;
  }
  /// Any thread. Fails too where somebody waits.
  [[nodiscard]] bool try_lock_shared() {
    std::uint64_t word = m_word.load(std::memory_order_relaxed);
    while ((word & (writer | waiting)) == 0) {
      if ((word & word_type::locked) != 0) {
        word = m_word.lock();
        const bool got = (word & (writer | waiting)) == 0;
        m_word.unlock(got ? word + reader : word);
        return got;
      }
      // [X2] acquire, as [X1]; pairs with [X3].
      if (m_word.word().compare_exchange_weak(word, word + reader, std::memory_order_acquire,
                                              std::memory_order_relaxed))
        return true;
    }
    return false;
  }

  /// The owner. False: there is none. Wakes by wake(waiter).
  template <class Wake>
  [[nodiscard]] bool unlock(Wake&& wake) {
    std::uint64_t word = writer;
    // [X3] release: what the owner has done; pairs with [X1], [X2], and [L1].
    if (m_word.word().compare_exchange_weak(word, 0, std::memory_order_release, std::memory_order_relaxed)) return true;
    word = m_word.lock();
    if ((word & writer) == 0) return m_word.unlock(word), false;
    serve(word & ~writer, /*after_writer=*/true, wake);
    return true;
  }
  /// One that shares it. False: nobody does. Wakes by wake(waiter).
  template <class Wake>
  [[nodiscard]] bool unlock_shared(Wake&& wake) {
    std::uint64_t word = m_word.load(std::memory_order_relaxed);
    while ((word & word_type::locked) == 0 && ((word & waiting) == 0 || word >= 2 * reader)) {
      if (word < reader) return false;
      // [X4] release, as [X3]; pairs with [X1].
      if (m_word.word().compare_exchange_weak(word, word - reader, std::memory_order_release,
                                              std::memory_order_relaxed))
        return true;
    }
    word = m_word.lock();
    if (word < reader) return m_word.unlock(word), false;
    serve(word - reader, /*after_writer=*/false, wake);
    return true;
  }

  /// See wait_in.hpp.
  [[nodiscard]] bool enqueue(node& mine) {
    std::uint64_t word = m_word.lock();
    const bool there = is_free(word);
    if (!there) {
      m_writers.push_back(mine);
    } else if (mine.claim_at_once()) {
      word |= writer;
    }
    give_up_lists(word);
    return !there;
  }
  [[nodiscard]] bool enqueue_shared(node& mine) {
    std::uint64_t word = m_word.lock();
    const bool there = (word & writer) == 0 && m_writers.empty();
    if (!there) {
      m_readers.push_back(mine);
    } else if (mine.claim_at_once()) {
      word += reader;
    }
    give_up_lists(word);
    return !there;
  }
  /// Readers may wait for this writer alone: wakes by wake(waiter).
  template <class Wake>
  void withdraw(node& mine, Wake&& wake) {
    const std::uint64_t word = m_word.lock();
    m_writers.remove(mine);
    serve(word, /*after_writer=*/false, wake);
  }
  void withdraw_shared(node& mine) {
    const std::uint64_t word = m_word.lock();
    m_readers.remove(mine);
    give_up_lists(word);
  }

 private:
  using word_type = locked_word<Provider>;
  static constexpr std::uint64_t writer = 2;
  static constexpr std::uint64_t waiting = 4;
  static constexpr std::uint64_t reader = 8;  // one of them
  static constexpr bool is_free(std::uint64_t word) { return (word & ~(waiting | word_type::locked)) == 0; }

  // With the lists: lets those in that can be, and gives the lists up.
  template <class Wake>
  void serve(std::uint64_t word, bool after_writer, Wake&& wake) {
    woken_waiters<Provider> woken;
    if ((word & writer) == 0) {
      if (!after_writer) word = let_writer_in(word, woken);
      if (after_writer || m_writers.empty()) word = let_readers_in(word, woken);
      if (after_writer) word = let_writer_in(word, woken);
    }
    give_up_lists(word);
    woken.wake_each(wake);
  }
  std::uint64_t let_writer_in(std::uint64_t word, woken_waiters<Provider>& woken) {
    if (!is_free(word)) return word;
    node* const next = m_writers.pop_claimed();
    if (next == nullptr) return word;
    woken.add(*next);
    return word | writer;
  }
  std::uint64_t let_readers_in(std::uint64_t word, woken_waiters<Provider>& woken) {
    if ((word & writer) != 0) return word;
    while (node* const next = m_readers.pop_claimed()) {
      woken.add(*next);
      word += reader;
    }
    return word;
  }

  void give_up_lists(std::uint64_t word) {
    const bool none = m_writers.empty() && m_readers.empty();
    m_word.unlock((word & ~waiting) | (none ? 0 : waiting));
  }

  word_type m_word;
  wait_list<Provider> m_writers;
  wait_list<Provider> m_readers;
};

}  // namespace ramie::detail
