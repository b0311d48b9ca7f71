// ramie in the suite `waiting`.
#include <ramie/ramie.hpp>
#include <ramie/scheduler/wait.hpp>
#include <ramie/sync/channel.hpp>
#include <ramie/sync/condition_variable.hpp>
#include <ramie/sync/mutex.hpp>
#include <ramie/sync/scope.hpp>
#include <ramie/sync/select.hpp>
#include <ramie/sync/semaphore.hpp>

#include <cstring>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "library/run.hpp"
#include "waiting/contenders.hpp"
#include "waiting/rows_of.hpp"

namespace bench::waiting {
namespace {

struct kit {
  using mutex = ramie::mutex;
  using condition_variable = ramie::condition_variable;
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

using channel = ramie::channel<std::uint64_t>;

/// One receives from so many channels, each of which has a sender; sender s sends `share` items from s * share on.
template <std::size_t... S>
timed select_among(std::uint64_t operations, std::index_sequence<S...> /*all*/) {
  constexpr std::uint64_t count = sizeof...(S);
  const std::uint64_t share = each(operations, count);
  std::array<channel, count> from;
  tally seen;
  const auto receive = [&seen](std::optional<std::uint64_t> item) {
    if (item) seen.see(*item);
  };
  std::vector<ramie::join_handle<void>> senders;
  const stopwatch watch;
  for (std::uint64_t s = 0; s < count; ++s) {
    senders.push_back(ramie::spawn([&to = from[s], first = s * share, share] {
      for (std::uint64_t i = first; i < first + share; ++i) {
        if (to.send(std::uint64_t{i}) != ramie::channel_status::done) return;
      }
    }));
  }
  for (std::uint64_t i = 0; i < share * count; ++i) ramie::select(ramie::on_receive(from[S], receive)...);
  for (auto& one : senders) one.join();
  return judged(watch.stop(share * count), share * count, seen);
}

/// Pairs hand an item to each other; each receives by a select over its own channel and the one that all share. When
/// all have made their trips, they wait until that one is closed.
class listener {
 public:
  /// `busy`: how many are still to make their trips.
  listener(channel& stop, ramie::counter& busy) : m_stop(stop), m_busy(busy) {}
  void listen(listener& other, std::uint64_t trips, bool begins) {
    bool stopped = false;
    const auto on_item = [&](std::optional<std::uint64_t> item) {
      m_seen.see(*item);
      if (!begins) static_cast<void>(other.m_own.send(std::move(*item)));
    };
    const auto on_stop = [&](std::optional<std::uint64_t>) { stopped = true; };
    for (std::uint64_t i = 0; i < trips && !stopped; ++i) {
      if (begins) static_cast<void>(other.m_own.send(std::uint64_t{i}));
      ramie::select(ramie::on_receive(m_own, on_item), ramie::on_receive(m_stop, on_stop));
    }
    const bool early = stopped;
    m_busy.decrement();
    ramie::select(ramie::on_receive(m_own, on_item), ramie::on_receive(m_stop, on_stop));
    m_right = stopped && !early && m_seen == of_first(trips);
  }
  /// Its part of the items: none if it has not been stopped at the end, and then only.
  [[nodiscard]] std::uint64_t received() const { return m_right ? m_seen.count : 0; }

 private:
  channel m_own;
  channel& m_stop;
  ramie::counter& m_busy;
  tally m_seen;
  bool m_right = false;
};

timed select_stop(std::uint64_t operations) {
  const std::uint64_t trips = each(operations, listeners);
  channel stop;
  ramie::counter busy(static_cast<std::int64_t>(listeners));
  ramie::counter running;
  std::vector<std::unique_ptr<listener>> all;
  const stopwatch watch;
  for (std::uint64_t i = 0; i < listeners; ++i) all.push_back(std::make_unique<listener>(stop, busy));
  for (std::uint64_t i = 0; i < listeners; ++i) {
    ramie::spawn_with_counter(running,
                              [&me = *all[i], &other = *all[i ^ 1], trips, i] { me.listen(other, trips, i % 2 == 0); });
  }
  ramie::wait_for_counter(busy);
  stop.close();
  ramie::wait_for_counter(running);
  timed run = watch.stop(trips * listeners);
  std::uint64_t received = 0;
  for (const auto& one : all) received += one->received();
  return judged(std::move(run), received);
}

timed scope_spawn_join(std::uint64_t operations) {
  const std::uint64_t scopes = each(operations, children);
  std::array<std::uint64_t, children> results{};
  std::uint64_t sum = 0;
  const stopwatch watch;
  for (std::uint64_t i = 0; i < scopes; ++i) {
    ramie::with_scope([&](ramie::scope& s) {
      for (std::uint64_t c = 0; c < children; ++c) s.spawn([&mine = results[c], i, c] { mine = i + c; });
    });
    for (const std::uint64_t one : results) sum += one;
  }
  return judged_scopes(watch.stop(scopes * children), scopes, sum);
}

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
  if (is(row_select_2)) return select_among(n, std::make_index_sequence<2>());
  if (is(row_select_16)) return select_among(n, std::make_index_sequence<16>());
  if (is(row_select_stop)) return select_stop(n);
  if (is(row_mutex_free)) return mutex_free<kit>(n);
  if (is(row_mutex_100)) return mutex_shared<kit>(n, false, 0);
  if (is(row_mutex_100_yield)) return mutex_shared<kit>(n, true, 0);
  if (is(row_mutex_threads)) return mutex_shared<kit>(n, false, threads_beside);
  if (is(row_semaphore)) return semaphore<kit>(n);
  if (is(row_condvar_broadcast)) return condvar_broadcast<kit>(n);
  if (is(row_timer_cancelled)) return timer_cancelled(n);
  if (is(row_scope_spawn_join)) return scope_spawn_join(n);
  if (is(row_timers_fire)) return timers_fire(n);
  throw std::invalid_argument(std::string("no row of ramie: ") + row);
}

}  // namespace

timed run_ramie(const ramie::options& o, const char* row, std::uint64_t operations) {
  // The statistics are of the whole runtime: the CPU time of the sleepers is judged inside.
  return in_runtime(o, [&] { return run(row, operations); });
}

}  // namespace bench::waiting
