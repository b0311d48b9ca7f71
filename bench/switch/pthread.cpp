// Kernel threads: what fibers are measured against in the first place.
#include <atomic>
#include <condition_variable>
#include <linux/futex.h>
#include <mutex>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

#include "framework/machine.hpp"
#include "switch/contenders.hpp"
#include "switch/problem.hpp"

namespace bench::switching {
namespace {

void pin(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<unsigned>(cpu), &set);
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

/// The thread whose turn it is, waited for in the kernel.
class futex_turn {
 public:
  void give(int to) {
    m_turn.store(to, std::memory_order_release);
    syscall(SYS_futex, reinterpret_cast<int*>(&m_turn), FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  }
  void take(int mine) {
    for (int now = m_turn.load(std::memory_order_acquire); now != mine; now = m_turn.load(std::memory_order_acquire)) {
      syscall(SYS_futex, reinterpret_cast<int*>(&m_turn), FUTEX_WAIT_PRIVATE, now, nullptr, nullptr, 0);
    }
  }

 private:
  std::atomic<int> m_turn{0};
  static_assert(sizeof(std::atomic<int>) == sizeof(int));
};

class condvar_turn {
 public:
  void give(int to) {
    {
      const std::scoped_lock lock(m_mutex);
      m_turn = to;
    }
    m_changed[to].notify_one();
  }
  void take(int mine) {
    std::unique_lock lock(m_mutex);
    m_changed[mine].wait(lock, [&] { return m_turn == mine; });
  }

 private:
  std::mutex m_mutex;
  std::condition_variable m_changed[2];
  int m_turn = 0;
};

template <class Turn>
timed pingpong(bool two_cores, std::uint64_t operations) {
  const auto cpus = allowed_cpus();
  const int here = cpus.front();
  const int there = two_cores ? cpus.at(1) : here;
  const std::uint64_t trips = (operations + 1) / 2;
  std::uint64_t seen[2] = {0, 0};
  Turn turn;
  timed result;
  std::thread far_side([&] {
    pin(there);
    for (std::uint64_t i = 0; i < trips; ++i) {
      turn.take(1);
      ++seen[1];
      turn.give(0);
    }
  });
  std::thread near_side([&] {
    pin(here);
    const stopwatch watch;
    for (std::uint64_t i = 0; i < trips; ++i) {
      turn.give(1);
      turn.take(0);
      ++seen[0];
    }
    // The far side has written its last count before it gave the turn back.
    result = judged(watch.stop(trips * 2), seen[0] + seen[1]);
  });
  near_side.join();
  far_side.join();
  return result;
}

}  // namespace

timed futex_pingpong(bool two_cores, std::uint64_t operations) { return pingpong<futex_turn>(two_cores, operations); }

timed condvar_pingpong(bool two_cores, std::uint64_t operations) {
  return pingpong<condvar_turn>(two_cores, operations);
}

timed std_thread_spawn_join(std::uint64_t operations) {
  std::uint64_t seen = 0;
  const stopwatch watch;
  for (std::uint64_t i = 0; i < operations; ++i) {
    std::thread([&] {
      sched_yield();
      ++seen;
    }).join();
  }
  return judged(watch.stop(operations), seen);
}

}  // namespace bench::switching
