// One step of a thread that others can notice.
#pragma once

#include <model/checker/clock.hpp>

#include <atomic>
#include <cstdint>
#include <source_location>

namespace ramie::model {

enum class event_kind : std::uint8_t {
  read,
  write,
  fence,        // order says which
  light_fence,  // the asymmetric pair, see base/provider.hpp
  heavy_fence,
  create,   // the first write of a location
  destroy,  // of a location
  choice,   // a number that the explorer picks
  mark      // where threads start, end and are joined
};

/// When a thread that waits for a value may go on.
struct predicate {
  enum class test : std::uint8_t { always, equal, lacks_bits, not_queued };
  test kind = test::always;
  std::uint64_t argument = 0;

  [[nodiscard]] bool allows(std::uint64_t value) const;
};

/// Where in the source an operation stands. The file name lives as long as the program.
struct site {
  const char* file = "";
  std::uint32_t line = 0;
  std::uint32_t column = 0;

  site() = default;
  site(const std::source_location& where)  // NOLINT(google-explicit-constructor): made from default arguments
      : file(where.file_name()), line(where.line()), column(where.column()) {}
};

/// The second half of a read: how the value that it finds is used.
enum class rmw : std::uint8_t {
  none,     // a load
  always,   // fetch_add, exchange: the write follows
  if_equal  // compare_exchange: it follows if the value is the expected one
};

using location_id = std::uint32_t;
inline constexpr location_id no_location = 0xFFFF'FFFF;

struct event {
  event_kind kind = event_kind::mark;
  std::memory_order order = std::memory_order_relaxed;
  bool exclusive = false;  // one half of a read-modify-write: the write follows its read directly
  bool blocked = false;    // a read that waits: nothing that it may read lets it go on
  event_id id = nobody;
  event_id reads_from = nobody;
  location_id location = no_location;
  std::int32_t position = 0;  // of a write, in the modification order of its location
  std::uint32_t stamp = 0;    // in which order events were added
  std::uint64_t value = 0;    // read, written, chosen
  predicate awaited;
  rmw update = rmw::none;
  std::memory_order order_of_failure = std::memory_order_relaxed;  // of a compare_exchange that finds another value
  std::memory_order order_of_success = std::memory_order_relaxed;
  std::uint64_t expected = 0;
  site where;

  clock happened_before;  // and the event itself
  clock caused_by;        // the same along program order and reads-from, whatever the orders
  clock published;        // of a write: what a thread that acquires it learns
  clock released;         // at this point: what the thread's last release fence knew
  clock pending;          // at this point: what the thread's next acquire fence will learn

  [[nodiscard]] bool awaits() const { return awaited.kind != predicate::test::always; }
  [[nodiscard]] bool is_read() const { return kind == event_kind::read; }
  [[nodiscard]] bool is_write() const { return kind == event_kind::write || kind == event_kind::create; }
  [[nodiscard]] bool sequentially_consistent() const {
    return kind == event_kind::heavy_fence ||
           (order == std::memory_order_seq_cst &&
            (kind == event_kind::read || kind == event_kind::write || kind == event_kind::fence));
  }
  [[nodiscard]] bool is_fence_of_the_total_order() const {
    return kind == event_kind::heavy_fence || (kind == event_kind::fence && order == std::memory_order_seq_cst);
  }
};

[[nodiscard]] inline bool acquires(std::memory_order order) {
  return order == std::memory_order_acquire || order == std::memory_order_acq_rel ||
         order == std::memory_order_seq_cst || order == std::memory_order_consume;
}
[[nodiscard]] inline bool releases(std::memory_order order) {
  return order == std::memory_order_release || order == std::memory_order_acq_rel || order == std::memory_order_seq_cst;
}

}  // namespace ramie::model
