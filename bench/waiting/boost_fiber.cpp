// Boost.Fiber on one thread, round robin, with pooled stacks as ramie has them.
#include <boost/fiber/all.hpp>
#include <cstring>
#include <stdexcept>

#include "waiting/contenders.hpp"
#include "waiting/rows_of.hpp"

namespace bench::waiting {
namespace {

namespace fibers = boost::fibers;

fibers::pooled_fixedsize_stack& stacks() {
  static fibers::pooled_fixedsize_stack all(stack_bytes);
  return all;
}

template <class Channel>
class channel_of {
 public:
  template <class... Arguments>
  explicit channel_of(Arguments... arguments) : m_channel(arguments...) {}
  bool send(std::uint64_t item) { return m_channel.push(item) == fibers::channel_op_status::success; }
  bool receive(std::uint64_t& item) { return m_channel.pop(item) == fibers::channel_op_status::success; }
  void close() { m_channel.close(); }

 private:
  Channel m_channel;
};

struct kit {
  using mutex = fibers::mutex;
  using condition_variable = fibers::condition_variable;
  template <class Function>
  static fibers::fiber spawn(Function function) {
    return fibers::fiber(std::allocator_arg, stacks(), std::move(function));
  }
  static void yield() { boost::this_fiber::yield(); }
};

struct unbuffered_kit : kit {
  struct channel : channel_of<fibers::unbuffered_channel<std::uint64_t>> {
    explicit channel(std::size_t) {}
  };
  static constexpr std::size_t unbuffered = 0;
};

struct buffered_kit : kit {
  using channel = channel_of<fibers::buffered_channel<std::uint64_t>>;
};

// It holds one less, and a power of two is what it can have.
constexpr std::size_t room = 1'024;
static_assert(room > bound);

timed timers_fire(std::uint64_t sleepers) {
  std::vector<fibers::fiber> team;
  team.reserve(sleepers);
  const stopwatch watch;
  deadlines all(sleepers);
  for (std::uint64_t i = 0; i < sleepers; ++i) {
    team.push_back(kit::spawn([&all, i] {
      boost::this_fiber::sleep_until(all.of(i));
      all.reached(i);
    }));
  }
  for (fibers::fiber& one : team) one.join();
  return all.judged(watch.stop(sleepers));
}

timed scope_spawn_join(std::uint64_t operations) {
  const std::uint64_t scopes = each(operations, children);
  std::uint64_t sum = 0;
  std::array<std::uint64_t, children> results{};
  std::array<fibers::fiber, children> team;
  const stopwatch watch;
  for (std::uint64_t i = 0; i < scopes; ++i) {
    for (std::uint64_t c = 0; c < children; ++c) team[c] = kit::spawn([&results, i, c] { results[c] = i + c; });
    for (fibers::fiber& one : team) one.join();
    for (const std::uint64_t one : results) sum += one;
  }
  return judged_scopes(watch.stop(scopes * children), scopes, sum);
}

}  // namespace

timed run_boost_fiber(const char* row, std::uint64_t n) {
  const auto is = [row](const char* name) { return std::strcmp(row, name) == 0; };
  if (is(row_channel_pingpong)) return channel_pingpong<unbuffered_kit>(n);
  if (is(row_channel_1_1)) return channel_many<buffered_kit>(n, 1, room);
  if (is(row_channel_4_4)) return channel_many<buffered_kit>(n, sides, room);
  if (is(row_mutex_free)) return mutex_free<kit>(n);
  if (is(row_mutex_100)) return mutex_shared<kit>(n, false, 0);
  if (is(row_mutex_100_yield)) return mutex_shared<kit>(n, true, 0);
  if (is(row_mutex_threads)) return mutex_shared<kit>(n, false, threads_beside);
  if (is(row_condvar_broadcast)) return condvar_broadcast<kit>(n);
  if (is(row_timers_fire)) return timers_fire(n);
  if (is(row_scope_spawn_join)) return scope_spawn_join(n);
  throw std::invalid_argument(std::string("no row of Boost.Fiber: ") + row);
}

}  // namespace bench::waiting
