// S, the single total order of seq_cst operations ([atomics.order] in C++20), as far as it is decided while a run goes
// on: of each member, which ones are before it. The rules are those of tests/model/checker/consistency.cpp, which looks
// at whole executions; here every new event asks what it may not read, and adds what it decides.
//
// The members of one thread are ordered as the program has them, so what is before a member is a prefix of each thread:
// a clock. Light fences are no members; each is before or after a heavy one, and nothing follows from two such pairs.
#pragma once

#include <simulation/memory/clock.hpp>

#include <array>
#include <limits>
#include <vector>

namespace ramie::weak {

/// For each thread the first of its accesses that is meant.
using first_accesses = std::array<std::int32_t, most_threads>;
inline constexpr std::int32_t no_access = std::numeric_limits<std::int32_t>::max();

class total_order {
 public:
  /// The events that a new event may not be coherence-ordered before.
  struct bar {
    clock happened;  // accesses that happened before a fence which is, or light and heavy have it, before
    clock members;   // seq_cst accesses that are before
  };
  /// For an event that knows `known`; `member`: where it is seq_cst itself, and its thread knew `previous` before it.
  [[nodiscard]] bar bar_of(const clock& known, const event_id* member, const clock& previous) const;

  /// A new seq_cst access. A read-modify-write is one, added as the second of its two events.
  void add_access(event_id access, const clock& previous);
  /// Puts before an access all that is coherence-ordered before it: the fences among `events`, and accesses.
  void put_before_access(const clock& events, const clock& members, event_id access);
  /// A new fence. Its thread knows `now`.
  void add_fence(event_id fence, bool heavy, const clock& previous, const knowledge& now);
  void add_light_fence(event_id fence, const knowledge& now);

  /// An event that knows `known` is coherence-ordered before accesses that were there already: the first of each
  /// thread, and `members` of them that are seq_cst.
  void add_late(const clock& known, const event_id* member, const first_accesses& newer,
                const std::vector<event_id>& members);

 private:
  struct node {
    std::int32_t index;
    clock before;
  };
  struct fence {
    std::int32_t index;
    clock happened;
    clock overtaken;
  };
  struct line {
    std::vector<node> nodes;
    std::vector<fence> fences;  // members of S
    std::vector<fence> heavies;
    std::vector<fence> lights;
  };

  template <class Entry>
  [[nodiscard]] static const Entry* last_before(const std::vector<Entry>& all, std::int32_t index);
  void add_members(clock& into, const clock& prefix) const;
  void add_fences(clock& into, const clock& events) const;
  [[nodiscard]] clock before_of(const clock& previous, event_id member) const;
  void put_before(const clock& earlier, event_id later);

  std::array<line, most_threads> m_lines;
  slot m_used = 0;  // slots below have, or had, threads with entries
};

}  // namespace ramie::weak
