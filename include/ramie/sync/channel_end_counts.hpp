// Not for users.
//
// How many handles each side of a channel has. Two levels: a side's handles, and the sides. The last handle of a side
// closes the channel for the other side, and then lets the side go; the last side frees the channel.
#pragma once

#include <ramie/base/provider.hpp>

#include <cstdint>

namespace ramie::detail {

template <class Provider = native_provider>
class channel_end_counts {
 public:
  /// By somebody who has a handle of that side.
  void add(bool sends) {
    // [J1] relaxed: the count is above zero, and stays so.
    handles(sends).fetch_add(1, std::memory_order_relaxed);
  }

  /// Calls close() where this was the last handle of its side. True: nobody has a handle any more.
  template <class Close>
  [[nodiscard]] bool drop(bool sends, Close&& close) {
    // [J2] acq_rel: all that was done by handles of this side is before the close; pairs with itself.
    if (handles(sends).fetch_sub(1, std::memory_order_acq_rel) != 1) return false;
    close();
    // [J3] acq_rel: all that the other side has done is before the end; pairs with itself. Weaker: memory is freed
    // that is still in use.
    return m_sides.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }

 private:
  using count = typename Provider::template atomic<std::uint32_t>;
  count& handles(bool sends) { return sends ? m_senders : m_receivers; }

  count m_senders{1};
  count m_receivers{1};
  count m_sides{2};
};

}  // namespace ramie::detail
