// Memory of stacks and tasks: the table of segments, which an overflow's report looks into, and the depots of memory to
// be used again.
#include <model/scenarios/scenario.hpp>

#include <ramie/stack/segment_table.hpp>

#include "scheduler/magazine_depot.hpp"

#include <array>

namespace ramie::model {
namespace {

using stack::detail::segment_range;

// All fields of one are the same number, so that a mixture of two is seen.
segment_range segment(std::size_t number) {
  return {reinterpret_cast<std::byte*>(number), number, number, number, static_cast<std::uint32_t>(number)};
}

struct table {
  stack::detail::segment_table<2, provider> of;

  void look() {
    static_cast<void>(of.find([](const segment_range& found) {
      const auto number = reinterpret_cast<std::size_t>(found.begin);
      require(found.slots == number && found.slot_size == number && found.guard_size == number &&
                  found.first_index == number,
              "a reader mixes two segments");
      return false;
    }));
  }
  [[nodiscard]] bool has(std::size_t number) {
    return of.find([number](const segment_range& found) { return found.slots == number; });
  }
};

struct node {
  plain<node*> next = nullptr;
  plain<node*> next_magazine = nullptr;
  plain<std::size_t> magazine_count = 0;
  plain<int> used = 0;  // by its holder
};

struct depot {
  detail::magazine_depot<node, provider> of;
  std::array<node, 4> nodes;

  void give(std::size_t first, std::size_t count) {
    detail::magazine<node> full;
    for (std::size_t i = 0; i < count; ++i) {
      nodes[first + i].used = nodes[first + i].used + 1;
      full.push(&nodes[first + i]);
    }
    of.give(full);
  }
  std::size_t take() {
    detail::magazine<node> taken = of.take();
    const std::size_t said = taken.count;
    std::size_t count = 0;
    while (node* const each = taken.pop()) {
      each->used = each->used + 1;
      ++count;
    }
    require(count == said, "a magazine has not what it says");
    return count;
  }
};

}  // namespace

subject segment_table_subject() {
  return {"stack/segment_table.hpp",
          {{"a look beside a registration",
            [] {
              table at;
              threads([&] { static_cast<void>(at.of.add(segment(1))); }, [&] { at.look(); });
            }},
           {"a look while an entry is used again",
            [] {
              table at;
              const std::size_t entry = at.of.add(segment(1));
              threads(
                  [&] {
                    at.of.remove(entry);
                    static_cast<void>(at.of.add(segment(2)));
                  },
                  [&] { at.look(); });
            }},
           {"two registrations",
            [] {
              table at;
              threads([&] { static_cast<void>(at.of.add(segment(1))); },
                      [&] { static_cast<void>(at.of.add(segment(2))); });
              require(at.has(1) && at.has(2), "a segment was lost");
            }},
           {"a look for a segment that one was told of", [] {
              table at;
              atomic<bool> told{false};
              static_cast<void>(at.of.add(segment(1)));
              threads(
                  [&] {
                    static_cast<void>(at.of.add(segment(2)));
                    told.store(true, std::memory_order_release);
                  },
                  [&] {
                    if (told.load(std::memory_order_acquire)) require(at.has(2), "a segment is not found");
                    require(at.has(1), "a segment that is always there is not found");
                  });
            }}}};
}

subject magazine_subject() {
  return {"scheduler/magazine_depot.hpp",
          {{"one that gives, and one that takes",
            [] {
              depot at;
              threads([&] { at.give(0, 2); }, [&] { at.take(); });
            }},
           {"two that give, and one that takes twice",
            [] {
              depot at;
              std::size_t taken = 0;
              threads([&] { at.give(0, 2); }, [&] { at.give(2, 1); },
                      [&] {
                        taken += at.take();
                        taken += at.take();
                      });
              require(at.of.count() == 3 - taken, "the depot has miscounted");
              taken += at.take();
              taken += at.take();
              require(taken == 3, "an object was lost");
            }},
           {"two that take", [] {
              depot at;
              at.give(0, 1);
              at.give(1, 2);
              std::array<std::size_t, 2> taken{};
              threads([&] { taken[0] = at.take(); }, [&] { taken[1] = at.take(); });
              require(taken[0] + taken[1] == 3, "an object was lost");
            }}}};
}

}  // namespace ramie::model
