// Items that pass through stages, several at the same time and no more than agreed.
//
//     ramie::pipeline({.in_flight = 32},
//                     [&]() -> std::optional<std::string> { return read_line(in); },           // until it is empty
//                     ramie::stage::parallel([](std::string line) { return parse(line); }),
//                     ramie::stage::in_order([&](record parsed) { write(out, parsed); }));
//
// A carrier takes one item from the source, brings it through all stages, and comes back for another one; so there are
// as many items in flight as carriers, an item stays in one processor's cache, and no stage has a queue. Where a stage
// admits one item at a time a carrier waits for its turn, as fibers do. (The tokens of TBB's pipeline: Reed, Chen,
// Johnson, "The Use of Parallel Patterns in Stream Processing", 2011; there an item that has to wait is put into the
// stage's buffer, for a carrier cannot wait.)
//
// Carriers are forks of one another. One that nobody has taken, because no worker is hungry and no carrier waits, is
// none: where the stages are quick and there is one worker, one carrier brings all items, and the pipeline is a loop.
// A carrier that waits for its turn is found by its number (turnstile.hpp), so an item costs the same however many
// wait.
#pragma once

#include <ramie/base/invoke.hpp>
#include <ramie/base/min_max.hpp>
#include <ramie/parallel/divide.hpp>
#include <ramie/parallel/first_error.hpp>
#include <ramie/parallel/permit.hpp>
#include <ramie/parallel/policy.hpp>
#include <ramie/parallel/turnstile.hpp>
#include <ramie/scheduler/runtime.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <stop_token>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ramie {

struct pipeline_policy {
  /// Items that may be between the source and the end of the last stage at the same time; 0: four for each worker. More
  /// than a million (2^20) count as a million.
  std::size_t in_flight = 0;
  /// Looked at before the source and every stage. After a request none of them is called any more, the items in flight
  /// are dropped, and the pipeline throws `stopped`.
  std::stop_token stop{};
  /// As parallel_policy::on.
  runtime* on = nullptr;
};

namespace detail {

enum class passage : std::uint8_t { parallel, serial, in_order };

template <passage How, class Function>
struct pipeline_stage {
  static constexpr passage how = How;
  Function function;
};

template <class T>
inline constexpr bool is_item = false;
template <class T>
inline constexpr bool is_item<std::optional<T>> = std::is_nothrow_move_constructible_v<T>;

template <class Source, class... Stages>
class running_pipeline {
  using source_result = std::invoke_result_t<Source&>;
  static_assert(is_item<source_result>,
                "the source of a ramie::pipeline returns a std::optional of something that moves without throwing");

 public:
  running_pipeline(permit& may, Source& source, Stages&... stages)
      : m_may(may), m_source(source), m_stages(stages...) {}

  /// Bounds the depth of run_carriers() to 40 calls, of 2 KiB each under ASan. Where any number was allowed it was 128,
  /// and more than a stack of 256 KiB holds.
  static constexpr std::size_t most_carriers = std::size_t{1} << 20;

  /// Carriers begin … end - 1, those of them that somebody has time for before all is done. As many at first as there
  /// are already, then as many again, and so on: so time does not depend on how many are allowed, and the stack on
  /// their logarithm alone. Not inlined: gcc would unroll the recursion.
  [[gnu::noinline]] void run_carriers(std::size_t begin, std::size_t end) {
    if (m_over.load(std::memory_order_relaxed)) return;
    if (end - begin == 1) return carry();
    const std::size_t middle = begin + min_of((end - begin) / 2, max_of(begin, std::size_t{1}));
    fork_all(*worker::current(), [&] { run_carriers(begin, middle); }, [&] { run_carriers(middle, end); });
  }

  first_error& errors() { return m_errors; }

 private:
  // Until the source is empty, or nothing may begin any more.
  void carry() noexcept {
    if (!has_room()) return;
    while (!m_over.load(std::memory_order_relaxed)) {
      const std::uint64_t number = m_at_source.draw();
      m_at_source.await(number);
      source_result item = next(number);
      m_at_source.pass(number);
      if (!item) return;
      bring<0>(number, std::move(item));
    }
  }

  // For one more carrier at the turnstiles. Without memory for that it brings nothing, and the others everything.
  bool has_room() noexcept {
    const std::size_t carriers = m_carriers.fetch_add(1, std::memory_order_relaxed) + 1;
    try {
      m_at_source.make_room(carriers);
      std::size_t i = 0;
      const auto make_room = [&]<passage How, class Function>(const pipeline_stage<How, Function>&) {
        if constexpr (How != passage::parallel) m_turns[i].make_room(carriers);
        ++i;
      };
      std::apply([&](const Stages&... each) { (make_room(each), ...); }, m_stages);
    } catch (const std::bad_alloc&) {
      return false;
    }
    return true;
  }

  // Calls function() for the item `number`. An exception of function leaves the pipeline, at last.
  template <class Function>
  void attempt(std::uint64_t number, Function&& function) noexcept {
    if (!m_may.may_begin()) return;
    try {
      m_may.guard(function);
    } catch (...) {
      m_errors.keep(number);
    }
  }

  // One caller at a time.
  source_result next(std::uint64_t number) {
    source_result item;
    if (m_over.load(std::memory_order_relaxed)) return item;
    attempt(number, [&] {
      source_result read = m_source();
      if (read) item.emplace(*std::move(read));
    });
    // relaxed: a carrier that comes here afterwards has passed the turnstile; a carrier that reads it elsewhere may be
    // late.
    if (!item) m_over.store(true, std::memory_order_relaxed);
    return item;
  }

  // Through stage I and those behind it. An empty item has been dropped; it takes its turn all the same, for those
  // behind it wait until it has passed.
  template <std::size_t I, class Item>
  void bring(std::uint64_t number, std::optional<Item> item) {
    auto& stage = std::get<I>(m_stages);
    turnstile& turns = m_turns[I];
    constexpr passage how = std::remove_cvref_t<decltype(stage)>::how;
    const std::uint64_t ticket = how == passage::serial ? turns.draw() : number;
    if constexpr (how != passage::parallel) turns.await(ticket);

    using made = std::invoke_result_t<decltype(stage.function)&, Item>;
    constexpr bool last = I + 1 == sizeof...(Stages);
    static_assert(std::is_void_v<made> == last,
                  "every stage of a ramie::pipeline returns the item for the next one, and the last one nothing");
    if constexpr (last) {
      if (item) attempt(number, [&] { call_with(stage.function, *std::move(item)); });
      if constexpr (how != passage::parallel) turns.pass(ticket);
    } else {
      using next_item = std::optional<std::decay_t<made>>;
      static_assert(is_item<next_item>, "a stage of a ramie::pipeline returns something that moves without throwing");
      next_item changed;
      if (item) attempt(number, [&] { changed.emplace(call_with(stage.function, *std::move(item))); });
      if constexpr (how != passage::parallel) turns.pass(ticket);
      item.reset();
      bring<I + 1>(number, std::move(changed));
    }
  }

  permit& m_may;
  Source& m_source;
  std::tuple<Stages&...> m_stages;
  turnstile m_at_source;
  turnstile m_turns[sizeof...(Stages)];
  native_provider::atomic<bool> m_over{false};
  native_provider::atomic<std::size_t> m_carriers{0};  // that have begun; relaxed: nothing but the number
  first_error m_errors;
};

}  // namespace detail

/// How many items at the same time, and in which order, a stage of a pipeline admits. Its function takes the item that
/// the stage before it has made, and returns the item for the next one; the last one returns nothing.
namespace stage {

/// Any number at the same time.
template <class Function>
[[nodiscard]] auto parallel(Function&& function) {
  return detail::pipeline_stage<detail::passage::parallel, std::decay_t<Function>>{std::forward<Function>(function)};
}
/// One at a time, as they come.
template <class Function>
[[nodiscard]] auto serial(Function&& function) {
  return detail::pipeline_stage<detail::passage::serial, std::decay_t<Function>>{std::forward<Function>(function)};
}
/// One at a time, in the order in which they came from the source.
template <class Function>
[[nodiscard]] auto in_order(Function&& function) {
  return detail::pipeline_stage<detail::passage::in_order, std::decay_t<Function>>{std::forward<Function>(function)};
}

}  // namespace stage

/// Calls source() until it returns an empty std::optional, and brings its items through the stages. One call of the
/// source at a time, and no more items in flight than policy.in_flight. Items are moved from stage to stage, and need
/// no default value. Returns when the last item has left the last stage.
///
/// The source and the stages may block, yield, spawn, fork: so they hold their own item up, and those whose turn comes
/// after it, and no worker. A stage must not wait for an item that is not in flight yet.
///
/// An exception of a function leaves the pipeline (of several, that of the earliest item): then no function is called
/// any more, and the items in flight are dropped; `stopped` if policy.stop had them left out; misuse as fork_join. From
/// a fiber, or a thread as fork_join. Blocks the fiber. A serial stage costs an item about 15 ns, and a switch where it
/// has to wait, however many others do. Where there is no stack or no memory for as many items in flight as allowed,
/// there are fewer; never fails for want of memory.
template <class Source, detail::passage... How, class... Functions>
void pipeline(const pipeline_policy& policy, Source&& source, detail::pipeline_stage<How, Functions>... stages) {
  static_assert(sizeof...(stages) > 0, "ramie::pipeline takes a source and at least one stage");
  static_assert(std::is_invocable_v<Source&>, "the source of a ramie::pipeline is called without arguments");
  detail::on_a_fiber_that_may_wait(policy.on, [&] {
    detail::permit may(policy.stop);
    detail::running_pipeline running(may, source, stages...);
    const std::size_t wanted =
        policy.in_flight != 0 ? policy.in_flight : std::size_t{4} * worker::current()->home().worker_count();
    running.run_carriers(0, detail::min_of(wanted, running.most_carriers));
    running.errors().rethrow();
    may.conclude();
  });
}

}  // namespace ramie
