// Sorts keys of which there are few different ones: they are counted, and written anew.
#pragma once

#include <ramie/parallel/permit.hpp>
#include <ramie/parallel/sort/keys.hpp>
#include <ramie/parallel/sort/pieces.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <new>
#include <type_traits>

namespace ramie::detail::sorting {

/// Of keys whose encodings are least … least + values - 1.
template <class Integer>
class count_sorter {
  using number = std::make_unsigned_t<Integer>;
  using counter = std::size_t;

 public:
  static constexpr std::size_t all_values = sizeof(Integer) > 2 ? 0 : std::size_t{1} << (8 * sizeof(Integer));

  count_sorter(key_order<Integer> order, Integer least, std::size_t values, unsigned workers, permit& may)
      : m_order(order), m_least(static_cast<number>(least)), m_values(values), m_workers(workers), m_may(may) {}

  /// False, and the keys are as they were: there is a key beyond, or no memory. Leaves them also if it is told to stop.
  [[nodiscard]] bool sort(Integer* keys, std::size_t count) {
    // Tables for as many workers as have at least as many keys.
    const std::size_t helpers = std::clamp<std::size_t>(count / m_values, 1, m_workers);
    const std::unique_ptr<counter[]> counts(new (std::nothrow) counter[helpers * m_values]());
    if (counts == nullptr || !count_all(keys, count, helpers, counts.get())) return false;
    if (m_may.may_begin()) write_all(keys, count, helpers, counts.get());
    return true;
  }

 private:
  static constexpr std::size_t piece = std::size_t{64} * 1024;

  // The counter of a key is its rank among all values.
  [[nodiscard]] std::size_t rank_of(Integer key) const {
    return static_cast<number>(static_cast<number>(m_order.encoded(key)) - m_least);
  }
  [[nodiscard]] Integer key_of(std::size_t rank) const {
    return m_order.decoded(static_cast<Integer>(static_cast<number>(static_cast<number>(rank) + m_least)));
  }

  bool count_all(const Integer* keys, std::size_t count, std::size_t helpers, counter* counts) {
    return all_of_pieces((count + piece - 1) / piece, helpers, [&](std::size_t i, std::size_t helper) {
      const count_sorter here = *this;  // in registers, whatever the counters may be thought to overlap with
      counter* const own = counts + helper * m_values;
      const Integer* const end = keys + std::min(count, (i + 1) * piece);
      for (const Integer* at = keys + i * piece; at != end; ++at) {
        const std::size_t rank = here.rank_of(*at);
        if (rank >= here.m_values) return false;
        ++own[rank];
      }
      return true;
    });
  }

  void write_all(Integer* keys, std::size_t count, std::size_t helpers, counter* counts) {
    // The first table becomes: how many keys are of this rank or a lower one.
    counter below = 0;
    for (std::size_t rank = 0; rank < m_values; ++rank) {
      for (std::size_t helper = 0; helper < helpers; ++helper) below += counts[helper * m_values + rank];
      counts[rank] = below;
    }
    each_piece((count + piece - 1) / piece, m_workers, [&](std::size_t i, std::size_t) {
      std::size_t at = i * piece;
      const std::size_t end = std::min(count, at + piece);
      for (auto rank = static_cast<std::size_t>(std::upper_bound(counts, counts + m_values, at) - counts); at < end;
           ++rank) {
        const std::size_t next = std::min(end, counts[rank]);
        std::fill(keys + at, keys + next, key_of(rank));
        at = next;
      }
    });
  }

  const key_order<Integer> m_order;
  const number m_least;
  const std::size_t m_values;
  const unsigned m_workers;
  permit& m_may;
};

}  // namespace ramie::detail::sorting
