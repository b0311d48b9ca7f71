// The sort of numbers: what is done with how many of them.
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
#include <cstddef>
#include <cstdint>
#include <functional>

namespace ramie::detail::sorting {
namespace {

/// Sorts by distribution to buckets of the size of a leaf, and leaves in a cache. A bucket that is much larger, because
/// keys crowd, is distributed once more.
template <class Integer>
class key_sorter {
 public:
  key_sorter(key_order<Integer> order, const parallel_policy& policy, permit& may)
      : m_order(order), m_policy(policy), m_may(may), m_workers(workers_here()) {}

  void sort(Integer* keys, std::size_t count) {
    const auto less = [order = m_order](Integer a, Integer b) { return order.encoded(a) < order.encoded(b); };
    if (count <= few) return insertion_sort(keys, keys, keys + count, less);
    if (!m_may.may_begin() || sort_by_existing_order(keys, keys + count, less, m_workers)) return;
    sort_part(keys, count, m_order, 0);
  }

 private:
  static constexpr std::size_t few = 24;
  // Each takes eleven bits of the range, so more are needed only for input that is made against the samples.
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
    try {
      quicksort<Integer*, std::less<>>(less).sort_in_parallel(keys, keys + count, m_policy, m_may, m_workers);
    } catch (const spawn_error&) {
      vector_sort(keys, count);
    }
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
    const std::size_t for_cache = count / (leaf_sorter<Integer>::most / 2);
    const std::size_t for_workers = std::min(std::size_t{8} * m_workers, count / least_bucket());
    const std::size_t wanted =
        std::clamp<std::size_t>(std::max(for_cache, for_workers), 2, bucket_map<Integer>::most_wanted);
    distribution<Integer> pass(keys, count, wanted, m_workers, order);
    const auto leaves = array_of<leaf_sorter<Integer>>(m_workers);
    if (!pass.has_memory() || leaves == nullptr) return false;
    pass.run();
    each_piece(pass.buckets(), m_workers, [&](std::size_t b, std::size_t helper) {
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
  [[nodiscard]] std::size_t least_bucket() const { return std::max<std::size_t>(4096, m_policy.grain); }

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
void sort_by_distribution(void* first, std::size_t count, key_order<Integer> order, const parallel_policy& policy) {
  const as_integers<Integer> keys(first);
  permit may(policy);
  key_sorter<Integer>(order, policy, may).sort(keys.get(), count);
  may.conclude();
}

template <class Integer>
void sort_by_counting(void* first, std::size_t count, key_order<Integer> order, const parallel_policy& policy) {
  const as_integers<Integer> keys(first);
  permit may(policy);
  count_sorter<Integer>(order, may).sort(keys.get(), count);
  may.conclude();
}

}  // namespace

void sort_keys(void* first, std::size_t count, key_order<std::int8_t> order, const parallel_policy& policy) {
  sort_by_counting(first, count, order, policy);
}
void sort_keys(void* first, std::size_t count, key_order<std::int16_t> order, const parallel_policy& policy) {
  sort_by_counting(first, count, order, policy);
}
void sort_keys(void* first, std::size_t count, key_order<std::int32_t> order, const parallel_policy& policy) {
  sort_by_distribution(first, count, order, policy);
}
void sort_keys(void* first, std::size_t count, key_order<std::int64_t> order, const parallel_policy& policy) {
  sort_by_distribution(first, count, order, policy);
}

}  // namespace ramie::detail::sorting
