// Sorts keys of which there are few different ones: 8 and 16 bits. They are counted, and written anew.
#pragma once

#include <ramie/parallel/permit.hpp>
#include <ramie/parallel/sort/existing_order.hpp>
#include <ramie/parallel/sort/keys.hpp>
#include <ramie/parallel/sort/pieces.hpp>
#include <ramie/parallel/sort/quicksort.hpp>

#include "parallel/vector_sort.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <type_traits>

namespace ramie::detail::sorting {

template <class Integer>
class count_sorter {
  using number = std::make_unsigned_t<Integer>;
  using counter = std::size_t;

 public:
  count_sorter(key_order<Integer> order, permit& may) : m_order(order), m_may(may), m_workers(workers_here()) {}

  void sort(Integer* keys, std::size_t count) {
    const auto less = [order = m_order](Integer a, Integer b) { return order.encoded(a) < order.encoded(b); };
    if (count <= few) return insertion_sort(keys, keys, keys + count, less);
    if (!m_may.may_begin() || sort_by_existing_order(keys, keys + count, less, m_workers)) return;
    // As many keys as there are counters, at least; tables for as many workers as have that many.
    const std::size_t helpers = std::clamp<std::size_t>(count / values, 1, m_workers);
    const std::unique_ptr<counter[]> counts(count < values ? nullptr : new (std::nothrow) counter[helpers * values]());
    if (counts == nullptr) {
      sort_few(keys, count);
    } else {
      count_all(keys, count, helpers, counts.get());
      if (m_may.may_begin()) write_all(keys, count, helpers, counts.get());
    }
  }

 private:
  static constexpr std::size_t few = 24;
  static constexpr std::size_t values = std::size_t{1} << (8 * sizeof(Integer));
  static constexpr std::size_t piece = std::size_t{64} * 1024;

  void sort_few(Integer* keys, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) keys[i] = m_order.encoded(keys[i]);
    if constexpr (sizeof(Integer) == 1) {
      std::less<> less;
      quicksort<Integer*, std::less<>>(less).sort(keys, keys + count);
    } else {
      vector_sort(keys, count);
    }
    for (std::size_t i = 0; i < count; ++i) keys[i] = m_order.decoded(keys[i]);
  }

  // The counter of a key is its rank among all values.
  [[nodiscard]] std::size_t rank_of(Integer key) const {
    constexpr number sign = number{1} << (8 * sizeof(Integer) - 1);
    return static_cast<number>(static_cast<number>(m_order.encoded(key)) ^ sign);
  }
  [[nodiscard]] Integer key_of(std::size_t rank) const {
    constexpr number sign = number{1} << (8 * sizeof(Integer) - 1);
    return m_order.decoded(static_cast<Integer>(static_cast<number>(rank) ^ sign));
  }

  void count_all(const Integer* keys, std::size_t count, std::size_t helpers, counter* counts) {
    each_piece((count + piece - 1) / piece, helpers, [&](std::size_t i, std::size_t helper) {
      counter* const own = counts + helper * values;
      const std::size_t end = std::min(count, (i + 1) * piece);
      for (std::size_t at = i * piece; at < end; ++at) ++own[rank_of(keys[at])];
    });
  }

  void write_all(Integer* keys, std::size_t count, std::size_t helpers, counter* counts) {
    // The first table becomes: how many keys are of this rank or a lower one.
    counter below = 0;
    for (std::size_t rank = 0; rank < values; ++rank) {
      for (std::size_t helper = 0; helper < helpers; ++helper) below += counts[helper * values + rank];
      counts[rank] = below;
    }
    each_piece((count + piece - 1) / piece, m_workers, [&](std::size_t i, std::size_t) {
      std::size_t at = i * piece;
      const std::size_t end = std::min(count, at + piece);
      for (auto rank = static_cast<std::size_t>(std::upper_bound(counts, counts + values, at) - counts); at < end;
           ++rank) {
        const std::size_t next = std::min(end, counts[rank]);
        std::fill(keys + at, keys + next, key_of(rank));
        at = next;
      }
    });
  }

  const key_order<Integer> m_order;
  permit& m_may;
  const unsigned m_workers;
};

}  // namespace ramie::detail::sorting
