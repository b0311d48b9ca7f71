// One pass of distribution: keys to buckets, in place, by all workers.
//
//   classify   Each stripe of the range is read from left to right. A key goes to the buffer of its bucket; a buffer
//              that is full is written back as a block, over what has been read. So a stripe becomes full blocks, each
//              of keys of one bucket, followed by free space.
//   plan       The sizes of all buckets are known, and with them the destination of every block.
//   permute    Blocks move to their destinations, by chains: a worker takes a block, puts it where it belongs, and
//              takes the block that lay there. A buffer of one block for each worker.
//   gather     Each bucket gets the keys that are still in buffers, and the part of its last block that reaches into
//              the next bucket.
//
// Every key is moved twice and read in order, however many buckets there are. The blocks and phases are those of IPS⁴o
// (Axtmann, Witt, Ferizovic, Sanders, "Engineering in-place (shared-memory) sorting algorithms", ACM TOPC 2022). There,
// pointers of each bucket say which of its blocks have been read and written; workers meet at them, and a block's
// destination is known when it is in the hand. Here each block has its destination before any moves, in 7 bytes of
// memory: so the next one of a chain can be fetched while this one is copied, and two workers meet only if they take
// the same block.
//
// The state of a block's place: `full`, as classify left it; `claimed` by the worker that copies it out; `vacant`. Two
// workers may want the same place: one that begins a chain there, and the only one that brings the block that belongs
// there. One of the two claims it (a compare-and-swap that exactly one wins). If the bringer wins, it takes the block
// that lies there, and nobody comes there again. Otherwise it waits until the place is vacant, which is as long as
// copying a block takes.
#pragma once

#include <ramie/base/provider.hpp>
#include <ramie/base/random.hpp>
#include <ramie/parallel/sort/keys.hpp>
#include <ramie/parallel/sort/pieces.hpp>

#include "parallel/bucket_map.hpp"
#include "parallel/vector_sort.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

namespace ramie::detail::sorting {

/// `count` objects without a value; null if they cannot be had.
template <class T>
std::unique_ptr<T[]> array_of(std::size_t count) noexcept {
  return std::unique_ptr<T[]>(new (std::nothrow) T[count]);
}

template <class Integer>
class distribution {
 public:
  /// Keys of a block.
  static constexpr std::size_t block = 1024 / sizeof(Integer);

  /// Of keys[0, count) to about `buckets` buckets. Ask has_memory() before anything else.
  distribution(Integer* keys, std::size_t count, std::size_t buckets, unsigned workers, key_order<Integer> order)
      : m_keys(keys), m_count(count), m_blocks(count / block), m_workers(workers), m_order(order) {
    const std::size_t least_of_a_stripe = 4 * block * buckets;
    m_stripes = std::clamp<std::size_t>(count / least_of_a_stripe, 1, std::size_t{4} * workers);
    m_map.reset(new (std::nothrow) bucket_map<Integer>);
    if (m_map != nullptr && !make_map(buckets)) m_map.reset();
    if (m_map == nullptr) return;
    m_stride = m_map->buckets() + apart;
    m_buffers = array_of<Integer>(m_stripes * m_map->buckets() * block);
    m_fills = array_of<std::uint32_t>(m_stripes * m_stride);
    m_full_blocks = array_of<std::uint32_t>(m_stripes * m_stride);
    m_ends = array_of<std::size_t>(m_stripes);
    m_buckets = array_of<bucket>(m_map->buckets());
    m_beyond = array_of<Integer>(m_map->buckets() * block);
    m_bucket_of = array_of<std::uint16_t>(m_blocks + 1);
    m_destinations = array_of<std::uint32_t>(m_blocks + 1);
    m_states = array_of<native_provider::atomic<state>>(m_blocks + 1);
    m_in_hand = array_of<Integer>(2 * block * workers);
  }

  [[nodiscard]] bool has_memory() const {
    return m_map && m_buffers && m_fills && m_full_blocks && m_ends && m_buckets && m_beyond && m_bucket_of &&
           m_destinations && m_states && m_in_hand && m_blocks < none;
  }

  /// All but gather(). The keys are encoded from then on.
  void run() {
    each_piece(m_stripes, m_workers, [&](std::size_t stripe, std::size_t) { classify(stripe); });
    plan();
    each_piece(m_stripes, m_workers, [&](std::size_t stripe, std::size_t helper) { permute(stripe, helper); });
    for (std::size_t b = 0; b < buckets(); ++b) save_beyond(b);
  }

  [[nodiscard]] std::size_t buckets() const { return m_map->buckets(); }
  [[nodiscard]] bool is_single(std::size_t b) const { return m_map->is_single(b); }
  [[nodiscard]] std::size_t begin(std::size_t b) const { return m_buckets[b].begin; }
  [[nodiscard]] std::size_t size(std::size_t b) const { return m_buckets[b].end - m_buckets[b].begin; }

  /// Completes a bucket. Once for each, by any worker; several buckets at the same time.
  void gather(std::size_t b) {
    free_places to(m_keys, m_buckets[b]);
    to.put(m_beyond.get() + b * block, m_buckets[b].beyond);
    for (std::size_t stripe = 0; stripe < m_stripes; ++stripe) {
      to.put(m_buffers.get() + (stripe * buckets() + b) * block, m_fills[stripe * m_stride + b]);
    }
  }

 private:
  static constexpr std::uint32_t none = 0xFFFFFFFF;
  // Between the numbers of two stripes, which change with every key: two workers must not write to one cache line.
  static constexpr std::size_t apart = 2 * cache_line_size / sizeof(std::uint32_t);
  enum class state : std::uint8_t { vacant, full, claimed };

  struct bucket {
    std::size_t begin;
    std::size_t end;
    std::size_t first_block;   ///< of the places for its full blocks, of which the last may reach beyond `end`
    std::size_t behind_block;  ///< where they end
    std::size_t beyond;        ///< how many keys of it lie in m_beyond
  };

  /// The free parts of a bucket when its full blocks are in place: before them, and behind them.
  class free_places {
   public:
    free_places(Integer* keys, const bucket& b) : m_keys(keys), m_at(b.begin) {
      m_end = std::min(b.first_block * block, b.end);
      m_rest = std::min(b.behind_block * block, b.end);
    }
    void put(const Integer* from, std::size_t count) {
      const std::size_t before = std::min(count, m_end - m_at);
      std::copy_n(from, before, m_keys + m_at);
      m_at += before;
      std::copy_n(from + before, count - before, m_keys + m_rest);
      m_rest += count - before;
    }

   private:
    Integer* m_keys;
    std::size_t m_at;
    std::size_t m_end;
    std::size_t m_rest;
  };

  // A sample of about sixteen keys a bucket: more would be read from all over the memory for little.
  bool make_map(std::size_t buckets) {
    const std::size_t count = 16 * buckets;
    const std::unique_ptr<Integer[]> samples = array_of<Integer>(count);
    if (samples == nullptr) return false;
    random_source random(m_count);
    for (std::size_t i = 0; i < count; ++i) {
      // One of each of `count` equal parts.
      const std::size_t from = m_count / count * i;
      samples[i] = m_order.encoded(m_keys[from + random.next() % (m_count / count)]);
    }
    vector_sort(samples.get(), count);
    m_map->make(samples.get(), count, buckets);
    return true;
  }

  [[nodiscard]] std::size_t first_block_of(std::size_t stripe) const { return m_blocks * stripe / m_stripes; }

  void classify(std::size_t stripe) {
    const std::size_t count = buckets();
    const std::size_t begin = first_block_of(stripe);
    const std::size_t end = first_block_of(stripe + 1);
    const Integer* const last = m_keys + (stripe + 1 == m_stripes ? m_count : end * block);
    const Integer* from = m_keys + begin * block;
    std::uint32_t* const fills = m_fills.get() + stripe * m_stride;
    std::uint32_t* const full = m_full_blocks.get() + stripe * m_stride;
    Integer* const buffers = m_buffers.get() + stripe * count * block;
    std::fill_n(fills, count, 0);
    std::fill_n(full, count, 0);
    std::size_t written = begin;
    const auto put = [&](Integer key, std::size_t b) __attribute__((always_inline)) {
      Integer* const buffer = buffers + b * block;
      std::uint32_t fill = fills[b];
      buffer[fill++] = key;
      if (fill == block) [[unlikely]] {
        // There is room: so many have been read, and are neither in blocks nor in other buffers.
        std::memcpy(m_keys + written * block, buffer, sizeof(Integer) * block);
        m_bucket_of[written++] = static_cast<std::uint16_t>(b);
        ++full[b];
        fill = 0;
      }
      fills[b] = fill;
    };
    const key_order<Integer> order = m_order;
    const typename bucket_map<Integer>::reader bucket_of(*m_map);
    // Four at a time: their buckets do not wait for the writes of those before.
    for (; last - from >= 4; from += 4) {
      const Integer a = order.encoded(from[0]);
      const Integer b = order.encoded(from[1]);
      const Integer c = order.encoded(from[2]);
      const Integer d = order.encoded(from[3]);
      const std::size_t of_a = bucket_of(a);
      const std::size_t of_b = bucket_of(b);
      const std::size_t of_c = bucket_of(c);
      const std::size_t of_d = bucket_of(d);
      put(a, of_a);
      put(b, of_b);
      put(c, of_c);
      put(d, of_d);
    }
    for (; from != last; ++from) {
      const Integer key = order.encoded(*from);
      put(key, bucket_of(key));
    }
    m_ends[stripe] = written;
    // Relaxed: nobody looks before the join after the last stripe.
    for (std::size_t at = begin; at < end; ++at)
      m_states[at].store(at < written ? state::full : state::vacant, std::memory_order_relaxed);
  }

  void plan() {
    std::size_t begin = 0;
    for (std::size_t b = 0; b < buckets(); ++b) {
      std::size_t keys = 0;
      std::size_t blocks = 0;
      for (std::size_t stripe = 0; stripe < m_stripes; ++stripe) {
        keys += m_fills[stripe * m_stride + b];
        blocks += m_full_blocks[stripe * m_stride + b];
      }
      // No two buckets want a place: a bucket's keys end where the next one begins, and this rounds up both.
      const std::size_t first_block = (begin + block - 1) / block;
      std::size_t place = first_block;
      for (std::size_t stripe = 0; stripe < m_stripes; ++stripe) {
        // From now on: where the next block of this stripe and bucket goes.
        place += std::exchange(m_full_blocks[stripe * m_stride + b], static_cast<std::uint32_t>(place));
      }
      const std::size_t end = begin + keys + blocks * block;
      m_buckets[b] = {begin, end, first_block, first_block + blocks, 0};
      begin = end;
    }
    each_piece(m_stripes, m_workers, [&](std::size_t stripe, std::size_t) {
      for (std::size_t at = first_block_of(stripe); at < m_ends[stripe]; ++at)
        m_destinations[at] = m_full_blocks[stripe * m_stride + m_bucket_of[at]]++;
    });
  }

  void permute(std::size_t stripe, std::size_t helper) {
    constexpr std::size_t bytes = sizeof(Integer) * block;
    Integer* in_hand = m_in_hand.get() + 2 * block * helper;
    Integer* other = in_hand + block;
    for (std::size_t at = first_block_of(stripe); at < m_ends[stripe]; ++at) {
      if (m_destinations[at] == at || !claim(at)) continue;
      std::memcpy(in_hand, m_keys + at * block, bytes);
      // [V1] release: the copy is done; pairs with [V2]. Weaker: somebody writes over what has not been read.
      m_states[at].store(state::vacant, std::memory_order_release);
      for (std::size_t from = at;;) {
        const std::size_t to = m_destinations[from];
        if (to >= m_blocks) {  // The range ends inside this block.
          std::memcpy(m_beyond.get() + m_bucket_of[from] * block, in_hand, bytes);
          break;
        }
        if (!claim(to)) {
          await_vacant(to);
          std::memcpy(m_keys + to * block, in_hand, bytes);
          break;
        }
        fetch(m_destinations[to]);
        std::memcpy(other, m_keys + to * block, bytes);
        std::memcpy(m_keys + to * block, in_hand, bytes);
        std::swap(in_hand, other);
        from = to;
      }
    }
  }

  bool claim(std::size_t place) {
    state expected = state::full;
    // Relaxed: what lies there was written before the fork.
    return m_states[place].compare_exchange_strong(expected, state::claimed, std::memory_order_relaxed);
  }
  void await_vacant(std::size_t place) {
    // [V2] acquire; pairs with [V1].
    for (int looks = 0; m_states[place].load(std::memory_order_acquire) != state::vacant; ++looks) {
      if (looks < native_provider::spins(1000)) {
        native_provider::pause();
      } else {
        native_provider::yield_thread();  // the kernel has taken the processor from the worker that copies
      }
    }
  }
  void fetch(std::size_t place) const {
    if (place >= m_blocks) return;
    const char* const at = reinterpret_cast<const char*>(m_keys + place * block);
    for (std::size_t line = 0; line < sizeof(Integer) * block; line += cache_line_size)
      __builtin_prefetch(at + line, 1);
  }

  /// The part of its last block that reaches into the next bucket's place.
  void save_beyond(std::size_t b) {
    bucket& of = m_buckets[b];
    const std::size_t end = of.behind_block * block;
    if (of.behind_block == of.first_block || end <= of.end) return;
    if (end > m_count) {
      of.beyond = block;  // All of it is there, and its place is free.
      --of.behind_block;
    } else {
      of.beyond = end - of.end;
      std::copy_n(m_keys + of.end, of.beyond, m_beyond.get() + b * block);
    }
  }

  Integer* const m_keys;
  const std::size_t m_count;
  const std::size_t m_blocks;
  const unsigned m_workers;
  const key_order<Integer> m_order;
  std::size_t m_stripes;
  std::unique_ptr<bucket_map<Integer>> m_map;
  std::size_t m_stride = 0;
  // For each stripe, for each bucket; the numbers of a stripe m_stride from those of the one before.
  std::unique_ptr<Integer[]> m_buffers;
  std::unique_ptr<std::uint32_t[]> m_fills;
  std::unique_ptr<std::uint32_t[]> m_full_blocks;
  // For each stripe: where its full blocks end.
  std::unique_ptr<std::size_t[]> m_ends;
  // For each bucket.
  std::unique_ptr<bucket[]> m_buckets;
  std::unique_ptr<Integer[]> m_beyond;
  // For each block.
  std::unique_ptr<std::uint16_t[]> m_bucket_of;
  std::unique_ptr<std::uint32_t[]> m_destinations;
  std::unique_ptr<native_provider::atomic<state>[]> m_states;
  // For each worker: the block that it moves, and room for the one that lies where it goes.
  std::unique_ptr<Integer[]> m_in_hand;
};

}  // namespace ramie::detail::sorting
