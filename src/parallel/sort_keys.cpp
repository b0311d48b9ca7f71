// The sort of numbers: what is done with how many of them.
#include <ramie/base/random.hpp>
#include <ramie/parallel/permit.hpp>
#include <ramie/parallel/sort/existing_order.hpp>
#include <ramie/parallel/sort/keys.hpp>
#include <ramie/parallel/sort/pieces.hpp>
#include <ramie/parallel/sort/quicksort.hpp>

#include "parallel/count_sort.hpp"
#include "parallel/distribution.hpp"
#include "parallel/leaf_sort.hpp"
#include "parallel/vector_sort.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <type_traits>

namespace ramie::detail::sorting {
namespace {

/// So many or fewer keys are sorted by insertion.
constexpr std::size_t few = 24;

/// Sorts if they are few, or in order already, in whichever direction.
template <class Integer>
[[nodiscard]] bool is_done_by_comparing(Integer* keys, std::size_t count, key_order<Integer> order, unsigned workers) {
  const auto by = [&](auto less) {
    if (count > few) return sort_by_existing_order(keys, keys + count, less, workers);
    insertion_sort(keys, keys, keys + count, less);
    return true;
  };
  if (order.is_plain()) return by(std::less<>());
  return by([order](Integer a, Integer b) { return order.encoded(a) < order.encoded(b); });
}

/// Sorts keys of 8 and 16 bits.
template <class Integer>
class short_key_sorter {
 public:
  short_key_sorter(key_order<Integer> order, const parallel_policy&, permit& may)
      : m_order(order), m_may(may), m_workers(workers_here()) {}

  void sort(Integer* keys, std::size_t count) {
    if (!m_may.may_begin() || is_done_by_comparing(keys, count, m_order, m_workers)) return;
    using counting = count_sorter<Integer>;
    counting all(m_order, std::numeric_limits<Integer>::min(), counting::all_values, m_workers, m_may);
    // As many keys as there are counters, at least.
    if (count < counting::all_values || !all.sort(keys, count)) sort_by_comparing(keys, count);
  }

 private:
  void sort_by_comparing(Integer* keys, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) keys[i] = m_order.encoded(keys[i]);
    if constexpr (sizeof(Integer) == 1) {
      std::less<> less;
      quicksort<Integer*, std::less<>>(less).sort(keys, keys + count);
    } else {
      vector_sort(keys, count);
    }
    for (std::size_t i = 0; i < count; ++i) keys[i] = m_order.decoded(keys[i]);
  }

  key_order<Integer> m_order;
  permit& m_may;
  const unsigned m_workers;
};

/// Sorts keys of 32 and 64 bits, if they are few different ones, by counting. Otherwise by distribution to buckets of
/// the size of a leaf, and leaves in a cache. A bucket that is much larger, because keys crowd, is distributed once
/// more.
template <class Integer>
class key_sorter {
 public:
  key_sorter(key_order<Integer> order, const parallel_policy& policy, permit& may)
      : m_order(order), m_policy(policy), m_may(may), m_workers(workers_here()) {}

  void sort(Integer* keys, std::size_t count) {
    if (!m_may.may_begin() || is_done_by_comparing(keys, count, m_order, m_workers)) return;
    if (count >= worth_counting && sort_by_counting(keys, count)) return;
    sort_part(keys, count, m_order, 0);
  }

 private:
  // Counters of a worker: they fit into a first-level cache, most of them.
  static constexpr std::size_t most_counters = 8192;
  static constexpr std::size_t worth_counting = 8 * most_counters;

  // Keys that lie as near to one another as a few of them promise. If there is another one after all, little has been
  // read in vain.
  bool sort_by_counting(Integer* keys, std::size_t count) {
    using number = std::make_unsigned_t<Integer>;
    constexpr std::size_t samples = 256;
    Integer least = m_order.encoded(keys[0]);
    Integer largest = least;
    random_source random(count);
    for (std::size_t i = 0; i < samples; ++i) {
      const Integer key = m_order.encoded(keys[random.next() % count]);
      least = std::min(least, key);
      largest = std::max(largest, key);
    }
    const auto distance = [](Integer from, Integer to) {
      return static_cast<number>(static_cast<number>(to) - static_cast<number>(from));
    };
    const number range = distance(least, largest);
    if (range >= most_counters / 2) return false;
    // Some more below and above, as far as there are integers.
    using limits = std::numeric_limits<Integer>;
    const auto margin = static_cast<number>(range / 2 + 1);
    const auto below = static_cast<Integer>(std::min(margin, distance(limits::min(), least)));
    const number above = std::min(margin, distance(largest, limits::max()));
    const std::size_t values = static_cast<std::size_t>(below) + range + above + 1;
    return count_sorter<Integer>(m_order, static_cast<Integer>(least - below), values, m_workers, m_may)
        .sort(keys, count);
  }

  // Each takes twelve bits of the range, so more are needed only for input that is made against the samples.
  static constexpr unsigned most_passes = 8;

  /// `order` is what has to be done to the keys yet; that they end as they were is m_order's business.
  void sort_part(Integer* keys, std::size_t count, key_order<Integer> order, unsigned passes) {
    if (!m_may.may_begin()) {
      if (order.is_plain()) decode(keys, count);
      return;
    }
    const bool is_leaf = count <= leaf_sorter<Integer>::most && (m_workers == 1 || count < 4 * least_bucket());
    if (is_leaf) {
      leaf_sorter<Integer> leaf(count);
      return sort_leaf(keys, count, order, leaf);
    }
    if (passes < most_passes && distribute(keys, count, order, passes)) return;
    encode(keys, count, order);
    sort_without_memory(keys, count);
    decode(keys, count);
  }

  void sort_without_memory(Integer* keys, std::size_t count) {
    std::less<> less;
    quicksort<Integer*, std::less<>>(less).sort_in_parallel(keys, keys + count, m_policy, m_may, m_workers);
  }

  void sort_leaf(Integer* keys, std::size_t count, key_order<Integer> order, leaf_sorter<Integer>& leaf) {
    encode(keys, count, order);
    if (leaf.has_memory()) {
      leaf.sort(keys, count);
    } else {
      vector_sort(keys, count);
    }
    decode(keys, count);
  }

  bool distribute(Integer* keys, std::size_t count, key_order<Integer> order, unsigned passes) {
    const std::size_t for_cache = count / (leaf_sorter<Integer>::most / 8);
    const std::size_t for_workers = std::min(std::size_t{8} * m_workers, count / least_bucket());
    const std::size_t wanted =
        std::clamp<std::size_t>(std::max(for_cache, for_workers), 2, bucket_map<Integer>::most_wanted);
    // A bucket that is still large after two passes is rare, or made against the samples; then forks must not nest on
    // and on.
    const unsigned workers = passes < 2 ? m_workers : 1;
    distribution<Integer> pass(keys, count, wanted, workers, order);
    const auto leaves = array_of<leaf_sorter<Integer>>(workers);
    if (!pass.has_memory() || leaves == nullptr) return false;
    pass.run();
    each_piece(pass.buckets(), workers, [&](std::size_t b, std::size_t helper) {
      pass.gather(b);
      Integer* const first = keys + pass.begin(b);
      const std::size_t size = pass.size(b);
      if (pass.is_single(b) || size < 2) {
        decode(first, size);
      } else if (size <= leaf_sorter<Integer>::most && m_may.may_begin()) {
        sort_leaf(first, size, plain, leaves[helper]);
      } else {
        sort_part(first, size, plain, passes + 1);
      }
    });
    return true;
  }

  static void encode(Integer* keys, std::size_t count, key_order<Integer> order) {
    if (order.is_plain()) return;
    for (std::size_t i = 0; i < count; ++i) keys[i] = order.encoded(keys[i]);
  }
  void decode(Integer* keys, std::size_t count) const {
    if (m_order.is_plain()) return;
    for (std::size_t i = 0; i < count; ++i) keys[i] = m_order.decoded(keys[i]);
  }

  /// Keys of a bucket that are worth another worker's attention.
  [[nodiscard]] std::size_t least_bucket() const { return std::max<std::size_t>(4096, grain_of(m_policy, 0)); }

  static constexpr key_order<Integer> plain{0, 0};

  key_order<Integer> m_order;
  const parallel_policy& m_policy;
  permit& m_may;
  const unsigned m_workers;
};

/// The elements may be doubles to the caller, and are integers here. The compiler must not take accesses of one side
/// past those of the other, even where it sees both.
template <class Integer>
class as_integers {
 public:
  explicit as_integers(void* first) : m_first(first) { asm volatile("" : "+r"(m_first) : : "memory"); }
  as_integers(const as_integers&) = delete;
  as_integers& operator=(const as_integers&) = delete;
  ~as_integers() { asm volatile("" : : : "memory"); }
  [[nodiscard]] Integer* get() const { return static_cast<Integer*>(m_first); }

 private:
  void* m_first;
};

template <class Integer>
void sort_as_integers(void* first, std::size_t count, key_order<Integer> order, const parallel_policy& policy) {
  const as_integers<Integer> keys(first);
  permit may(policy.stop);
  using sorter = std::conditional_t<(sizeof(Integer) > 2), key_sorter<Integer>, short_key_sorter<Integer>>;
  sorter(order, policy, may).sort(keys.get(), count);
  may.conclude();
}

template <class Integer, class Number>
bool has_sign_alone(const Number* first, std::size_t count) {
  constexpr std::size_t piece = std::size_t{64} * 1024;
  return !all_of_pieces((count + piece - 1) / piece, workers_here(), [&](std::size_t i, std::size_t) {
    const std::size_t end = std::min(count, (i + 1) * piece);
    bool found = false;
    for (std::size_t at = i * piece; at < end; ++at)
      found |= std::bit_cast<Integer>(first[at]) == std::numeric_limits<Integer>::min();
    return !found;
  });
}

}  // namespace

bool has_negative_zero(const float* first, std::size_t count) { return has_sign_alone<std::int32_t>(first, count); }
bool has_negative_zero(const double* first, std::size_t count) { return has_sign_alone<std::int64_t>(first, count); }

void sort_keys(void* first, std::size_t count, key_order<std::int8_t> order, const parallel_policy& policy) {
  sort_as_integers(first, count, order, policy);
}
void sort_keys(void* first, std::size_t count, key_order<std::int16_t> order, const parallel_policy& policy) {
  sort_as_integers(first, count, order, policy);
}
void sort_keys(void* first, std::size_t count, key_order<std::int32_t> order, const parallel_policy& policy) {
  sort_as_integers(first, count, order, policy);
}
void sort_keys(void* first, std::size_t count, key_order<std::int64_t> order, const parallel_policy& policy) {
  sort_as_integers(first, count, order, policy);
}

}  // namespace ramie::detail::sorting
