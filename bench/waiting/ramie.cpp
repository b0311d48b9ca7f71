// ramie in the suite `waiting`.
#include <ramie/ramie.hpp>
#include <ramie/scheduler/wait.hpp>
#include <ramie/sync/channel.hpp>
#include <ramie/sync/mutex.hpp>
#include <ramie/sync/semaphore.hpp>

#include <cstring>
#include <stdexcept>
#include <string>

#include "library/run.hpp"
#include "waiting/contenders.hpp"
#include "waiting/rows_of.hpp"

namespace bench::waiting {
namespace {

struct kit {
  using mutex = ramie::mutex;
  using semaphore = ramie::counting_semaphore<>;
  template <class Function>
  static auto spawn(Function function) {
    return ramie::spawn(std::move(function));
  }
  static void yield() { ramie::yield(); }

  static constexpr std::size_t unbuffered = 0;
  class channel {
   public:
    explicit channel(std::size_t capacity) : m_channel(capacity) {}
    bool send(std::uint64_t item) { return m_channel.send(std::move(item)) == ramie::channel_status::done; }
    bool receive(std::uint64_t& item) {
      const std::optional<std::uint64_t> received = m_channel.receive();
      if (!received) return false;
      item = *received;
      return true;
    }
    void close() { m_channel.close(); }

   private:
    ramie::channel<std::uint64_t> m_channel;
  };
};

// The wait finds at once what it waits for, but not before its deadline has been armed.
timed timer_cancelled(std::uint64_t operations) {
  std::uint64_t cancelled = 0;
  const stopwatch watch;
  for (std::uint64_t i = 0; i < operations; ++i) {
    ramie::detail::wait_record<ramie::work_item> mine(ramie::detail::this_waiter());
    const auto reason =
        ramie::detail::wait_until(mine, [] { return false; }, [] {}, ramie::wait_limits(std::chrono::hours(1)));
    if (reason == ramie::wake_reason::woken) ++cancelled;
  }
  return judged(watch.stop(operations), cancelled);
}

timed timers_fire(std::uint64_t sleepers) {
  ramie::counter asleep;
  const stopwatch watch;
  deadlines all(sleepers);
  for (std::uint64_t i = 0; i < sleepers; ++i) {
    ramie::spawn_with_counter(asleep, [&all, i] {
      ramie::sleep_until(all.of(i));
      all.reached(i);
    });
  }
  ramie::wait_for_counter(asleep);
  return all.judged(watch.stop(sleepers));
}

timed run(const char* row, std::uint64_t n) {
  const auto is = [row](const char* name) { return std::strcmp(row, name) == 0; };
  if (is(row_channel_pingpong)) return channel_pingpong<kit>(n);
  if (is(row_channel_1_1)) return channel_many<kit>(n, 1, bound);
  if (is(row_channel_4_4)) return channel_many<kit>(n, sides, bound);
  if (is(row_channel_unbounded_1_1)) return channel_many<kit>(n, 1, ramie::channel<std::uint64_t>::unbounded);
  if (is(row_mutex_free)) return mutex_free<kit>(n);
  if (is(row_mutex_100)) return mutex_shared<kit>(n, false, 0);
  if (is(row_mutex_100_yield)) return mutex_shared<kit>(n, true, 0);
  if (is(row_mutex_threads)) return mutex_shared<kit>(n, false, threads_beside);
  if (is(row_semaphore)) return semaphore<kit>(n);
  if (is(row_timer_cancelled)) return timer_cancelled(n);
  if (is(row_timers_fire)) return timers_fire(n);
  throw std::invalid_argument(std::string("no row of ramie: ") + row);
}

}  // namespace

timed run_ramie(const ramie::options& o, const char* row, std::uint64_t operations) {
  // The statistics are of the whole runtime: the CPU time of the sleepers is judged inside.
  return in_runtime(o, [&] { return run(row, operations); });
}

}  // namespace bench::waiting
