// Boost.Fiber on one thread, round robin.
#include <boost/fiber/all.hpp>

#include "switch/contenders.hpp"
#include "switch/problem.hpp"

namespace bench::switching {
namespace {

namespace fibers = boost::fibers;

/// A fiber waits until it is its turn, as ramie's two counters make it.
class turn {
 public:
  void give() {
    m_mine = true;
    m_given.notify_one();
  }
  void take() {
    std::unique_lock<fibers::mutex> lock(m_mutex);
    m_given.wait(lock, [this] { return m_mine; });
    m_mine = false;
  }

 private:
  fibers::mutex m_mutex;
  fibers::condition_variable m_given;
  bool m_mine = false;  // one thread: no other fiber runs between the look and the wait
};

}  // namespace

timed boost_fiber_yield(std::uint64_t operations) {
  const std::uint64_t each = (operations + 1) / 2;
  std::uint64_t seen[2] = {0, 0};
  const auto body = [&](std::uint64_t& mine) {
    for (std::uint64_t i = 0; i < each; ++i) {
      boost::this_fiber::yield();
      ++mine;
    }
  };
  const stopwatch watch;
  fibers::fiber first([&] { body(seen[0]); });
  fibers::fiber second([&] { body(seen[1]); });
  first.join();
  second.join();
  return judged(watch.stop(each * 2), seen[0] + seen[1]);
}

timed boost_fiber_pingpong(std::uint64_t operations) {
  const std::uint64_t trips = (operations + 1) / 2;
  turn ping;
  turn pong;
  std::uint64_t seen[2] = {0, 0};
  const stopwatch watch;
  fibers::fiber first([&] {
    for (std::uint64_t i = 0; i < trips; ++i) {
      ping.give();
      pong.take();
      ++seen[0];
    }
  });
  fibers::fiber second([&] {
    for (std::uint64_t i = 0; i < trips; ++i) {
      ping.take();
      ++seen[1];
      pong.give();
    }
  });
  first.join();
  second.join();
  return judged(watch.stop(trips * 2), seen[0] + seen[1]);
}

timed boost_fiber_spawn_join(std::uint64_t operations) {
  // Pooled stacks, as ramie has them.
  fibers::pooled_fixedsize_stack stacks(stack_bytes);
  std::uint64_t seen = 0;
  const stopwatch watch;
  for (std::uint64_t i = 0; i < operations; ++i) {
    fibers::fiber(std::allocator_arg, stacks, [&] {
      boost::this_fiber::yield();
      ++seen;
    }).join();
  }
  return judged(watch.stop(operations), seen);
}

}  // namespace bench::switching
