// A memory as weak as C++20 allows, for one run whose steps are taken one after the other: loads may find old values,
// stores may come to lie before others in modification order. The rules are those of the model checker
// (tests/model/checker/execution.hpp), light and heavy fences included, and like there a load is never delayed past a
// later store. tests/model/weak_memory_test.cpp compares the two.
//
// A word is known by its address. Values that somebody may still read are kept, the rest are forgotten. As in C11Tester
// (Luo, Demsky, ASPLOS 2021) reads-from goes along with the steps of the run; here the total order S need not.
#pragma once

#include <simulation/memory/total_order.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace ramie::weak {

/// Chooses where a step has several outcomes.
class chooser {
 public:
  virtual ~chooser() = default;
  /// Whether the access is to take an older place than the newest, if it may.
  virtual bool old_place(slot thread) = 0;
  /// Of so many older places: 0 is the newest of them.
  virtual std::size_t which(slot thread, std::size_t count) = 0;
};

class weak_memory {
 public:
  explicit weak_memory(chooser& decides) : m_decides(decides) {}

  // ---- Threads ----

  [[nodiscard]] slot begin_first();
  [[nodiscard]] slot begin(slot starter);
  /// Until join(), or lock_futex(), it does nothing; and then it knows what another one knows that counts now.
  void wait_for_another(slot waiting) { m_threads[waiting].counts = false; }
  void join(slot joiner, slot ended);

  // ---- Words. `newest` is the value of one that the memory does not know yet ----

  void create(slot by, const void* word, std::uint64_t value);
  [[nodiscard]] std::uint64_t load(slot by, const void* word, std::uint64_t newest, std::memory_order order);
  /// Returns the newest value after it.
  std::uint64_t store(slot by, const void* word, std::uint64_t newest, std::uint64_t value, std::memory_order order);

  struct updated {
    std::uint64_t found;
    std::uint64_t newest;
  };
  /// `change(found)` is what is stored; nothing: nothing is, and it was a load with the order `failure`.
  template <class Change>
  updated update(slot by, const void* word, std::uint64_t newest, std::memory_order order, std::memory_order failure,
                 Change&& change) {
    history& here = of(by, word, newest);
    const std::int32_t end = here.base + static_cast<std::int32_t>(here.writes.size());
    std::int32_t place = end - 1;
    if (wants_old(by, here)) {
      const std::int32_t floors[] = {floor_of(by, here, failure, false), floor_of(by, here, order, true)};
      m_places.clear();
      for (std::int32_t each = end - 2; each >= std::min(floors[0], floors[1]); --each) {
        const bool changes = change(here.at(each).value).has_value();
        if (each < floors[changes ? 1 : 0] || (changes && here.at(each + 1).exclusive)) continue;
        m_places.push_back(each);
      }
      if (!m_places.empty()) place = m_places[m_decides.which(by, m_places.size())];
    }
    const std::uint64_t found = here.at(place).value;
    const std::optional<std::uint64_t> stored = change(found);
    bind(by, here, place, stored ? order : failure, stored.has_value());
    if (stored) put(by, here, place + 1, *stored, order, true);
    return {found, here.writes.back().value};
  }

  void fence(slot by, std::memory_order order);
  void light_fence(slot by);
  void heavy_fence(slot by);

  // ---- Futexes: the kernel's lock for a word's sleepers, taken and given back ----

  void lock_futex(slot by, const void* word);
  void unlock_futex(slot by, const void* word);

  // ---- Plain memory ----

  void create_plain(slot by, const void* cell);
  void read_plain(slot by, const void* cell);
  void write_plain(slot by, const void* cell);

  /// The forbidden act of the program, as a sentence; null: none.
  [[nodiscard]] const char* error() const { return m_error; }
  [[nodiscard]] std::uint64_t old_reads() const { return m_old_reads; }
  [[nodiscard]] std::uint64_t early_writes() const { return m_early_writes; }
  /// Whether the last access took an older place than the newest.
  [[nodiscard]] bool last_was_old() const { return m_last_was_old; }

 private:
  struct write {
    std::uint64_t value;
    bool exclusive;       // of a read-modify-write: directly behind what that has read
    knowledge published;  // what a thread that acquires it learns
  };
  // The events that happened before the accesses up to a place, and which of them are seq_cst.
  struct sum {
    clock happened;
    clock ordered;
    void join(const sum& other) {
      happened.join(other.happened);
      ordered.join(other.ordered);
    }
  };
  struct access {
    event_id id;
    std::int32_t position;
    std::int32_t member;  // the index of the member of S that it is, or -1
  };
  struct history {
    event_id created;
    std::int32_t base = 0;  // the position of the oldest that is kept
    std::vector<write> writes;
    std::vector<sum> up_to_write;
    std::vector<sum> up_to_readers;
    std::vector<access> accesses;
    std::size_t prune_at = 48;

    [[nodiscard]] write& at(std::int32_t position) { return writes[static_cast<std::size_t>(position - base)]; }
  };
  struct word_state {
    event_id created;
    std::uint64_t first = 0;
    std::unique_ptr<history> used;  // null: by nobody yet
  };
  struct plain_cell {
    event_id written;
    clock read;
  };
  struct thread_state {
    bool counts = false;  // among those for whom old values are kept
    bool joined = false;
    std::int32_t events = 0;
    knowledge now;
    knowledge released;  // what the last release fence knew
    knowledge pending;   // what the next acquire fence will learn
    clock previous;      // what was known before the event that is taking place
  };
  // An access that came to lie before others which were there already.
  struct late {
    first_accesses newer;
    clock happened;
    clock ordered;
  };

  [[nodiscard]] history& of(slot by, const void* word, std::uint64_t newest);
  [[nodiscard]] bool wants_old(slot by, const history& here);
  [[nodiscard]] std::int32_t floor_of(slot by, const history& here, std::memory_order order, bool update);
  event_id next_event(slot by);
  void bind(slot by, history& here, std::int32_t place, std::memory_order order, bool update);
  void put(slot by, history& here, std::int32_t place, std::uint64_t value, std::memory_order order, bool exclusive);
  void add_late(slot by, const history& here, std::int32_t place, const event_id* member);
  void learn_late(slot by);
  void prune(history& here);
  void begin_at(slot made, const knowledge& known);

  chooser& m_decides;
  std::array<thread_state, most_threads> m_threads;
  std::unordered_map<const void*, word_state> m_words;
  std::unordered_map<const void*, knowledge> m_futexes;
  std::unordered_map<const void*, plain_cell> m_plain;
  total_order m_order;
  std::vector<late> m_late;
  std::size_t m_forget_late_at = 64;
  std::vector<std::int32_t> m_places;
  const char* m_error = nullptr;
  std::uint64_t m_old_reads = 0;
  std::uint64_t m_early_writes = 0;
  bool m_last_was_old = false;
};

}  // namespace ramie::weak
