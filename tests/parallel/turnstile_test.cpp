// The turnstile, which lets the carriers of a pipeline pass in their order, tested without carriers.
#include <ramie/parallel/turnstile.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

namespace ramie {
namespace {

// Counts what is read and written. For one thread.
struct counting_provider {
  static inline std::uint64_t accesses = 0;

  template <class T>
  class cell {
   public:
    cell() = default;
    cell(T value) : m_value(value) {}                   // NOLINT(google-explicit-constructor): as a T
    operator T() const { return ++accesses, m_value; }  // NOLINT(google-explicit-constructor)
    cell& operator=(T value) { return ++accesses, m_value = value, *this; }

   private:
    T m_value{};
  };
  template <class T>
  using plain = cell<T>;

  template <class T>
  class atomic {
   public:
    atomic() = default;
    atomic(T value) : m_value(value) {}  // NOLINT(google-explicit-constructor)
    atomic(const atomic&) = delete;
    atomic& operator=(const atomic&) = delete;

    T load(std::memory_order /*order*/) const { return ++accesses, m_value; }
    void store(T value, std::memory_order /*order*/) { ++accesses, m_value = value; }
    T exchange(T value, std::memory_order /*order*/) { return ++accesses, std::exchange(m_value, value); }
    T fetch_add(T value, std::memory_order /*order*/) { return ++accesses, std::exchange(m_value, m_value + value); }
    bool compare_exchange_strong(T& expected, T value, std::memory_order /*success*/, std::memory_order /*failure*/) {
      ++accesses;
      if (m_value == expected) return m_value = value, true;
      return expected = m_value, false;
    }

   private:
    T m_value{};
  };

  static void pause() {}
  static constexpr int spins(int count) { return count; }
  static void futex_wait(const atomic<std::uint32_t>& /*word*/, std::uint32_t /*expected*/) { std::abort(); }
  static void futex_wake(const atomic<std::uint32_t>& /*word*/, int /*count*/) { std::abort(); }
};

struct holder {
  std::uint64_t ticket = 0;
};
using order = detail::turn_order<holder, counting_provider>;

// Accesses for a turn of one of `holders`, all of whom wait but one, and come again as soon as they have passed.
double accesses_a_turn(std::size_t holders) {
  order turns;
  turns.make_room(holders);
  std::vector<holder> all(holders);
  for (std::size_t i = 0; i < holders; ++i) {
    all[i].ticket = i;
    if (i != 0 && !turns.enqueue(i, all[i])) ADD_FAILURE() << i;
  }
  const std::uint64_t count = 10 * holders;
  const std::uint64_t before = counting_provider::accesses;
  holder* now = &all[0];
  for (std::uint64_t ticket = 0; ticket < count; ++ticket) {
    if (now == nullptr || now->ticket != ticket) {
      ADD_FAILURE() << "not whose turn it is, at " << ticket;
      return 0;
    }
    holder* const next = turns.pass(ticket);
    now->ticket += holders;
    if (holders != 1 && !turns.enqueue(now->ticket, *now)) ADD_FAILURE() << now->ticket;
    now = holders == 1 ? now : next;
  }
  return static_cast<double>(counting_provider::accesses - before) / static_cast<double>(count);
}

TEST(Turnstile, ATurnCostsTheSame_HoweverManyWait) {
  const double few = accesses_a_turn(16);
  EXPECT_LT(few, 40);
  EXPECT_EQ(accesses_a_turn(256), few);
  EXPECT_EQ(accesses_a_turn(4096), few);
  EXPECT_EQ(accesses_a_turn(65536), few);
  EXPECT_EQ(accesses_a_turn(1), 1);  // nobody waits: the compare-and-swap
}

TEST(Turnstile, WhoeverComesInTime_DoesNotWait) {
  order turns;
  turns.make_room(2);
  holder one;
  EXPECT_TRUE(turns.reached(0));
  EXPECT_FALSE(turns.reached(1));
  EXPECT_EQ(turns.pass(0), nullptr);
  EXPECT_TRUE(turns.reached(1));
  EXPECT_FALSE(turns.enqueue(1, one));  // it was about to wait
  EXPECT_EQ(turns.pass(1), nullptr);
  EXPECT_TRUE(turns.reached(2));
  EXPECT_EQ(turns.pass(2), nullptr);
}

TEST(Turnstile, WhoHasNotComeYet_IsNotMistakenForWhoWaits) {
  order turns;
  turns.make_room(4);
  std::vector<holder> all(4);
  EXPECT_TRUE(turns.enqueue(3, all[3]));
  EXPECT_EQ(turns.pass(0), nullptr);
  EXPECT_TRUE(turns.enqueue(2, all[2]));
  EXPECT_EQ(turns.pass(1), &all[2]);
  EXPECT_EQ(turns.pass(2), &all[3]);
  EXPECT_EQ(turns.pass(3), nullptr);
}

TEST(Turnstile, RoomIsMade_WhileSomeWait) {
  constexpr std::size_t most = 5000;
  order turns;
  std::vector<holder> all(most);
  turns.make_room(2);
  EXPECT_EQ(turns.pass(0), nullptr);  // so that places do not begin at 0
  for (std::size_t i = 2; i < most; ++i) {
    turns.make_room(i);
    EXPECT_TRUE(turns.enqueue(i, all[i]));
  }
  for (std::size_t i = 1; i + 1 < most; ++i) ASSERT_EQ(turns.pass(i), &all[i + 1]);
  EXPECT_EQ(turns.pass(most - 1), nullptr);
}

}  // namespace
}  // namespace ramie
