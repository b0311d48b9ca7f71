// The two sides of a channel as handles that are counted: when the last one of a side is gone, the other side learns
// it.
#pragma once

#include <ramie/sync/channel.hpp>
#include <ramie/sync/channel_end_counts.hpp>

#include <cstddef>
#include <optional>
#include <utility>

namespace ramie {

template <class T>
class sender;
template <class T>
class receiver;
template <class T>
[[nodiscard]] std::pair<sender<T>, receiver<T>> make_channel(std::size_t capacity = 0);

namespace detail {

[[noreturn, gnu::cold]] void channel_end_is_empty(const char* side);

template <class T>
struct shared_channel {
  explicit shared_channel(std::size_t capacity) : items(capacity) {}
  channel<T> items;
  channel_end_counts<> counts;

  // Items that nobody will receive any more are destroyed by whoever lets the last receiver go.
  void close_for_senders() {
    items.close();
    while (items.try_receive()) {
    }
  }
};

template <class T, bool Sends>
class channel_end {
 public:
  channel_end() = default;
  channel_end(const channel_end& other) : m_of(other.m_of) {
    if (m_of != nullptr) m_of->counts.add(Sends);
  }
  channel_end(channel_end&& other) noexcept : m_of(std::exchange(other.m_of, nullptr)) {}
  channel_end& operator=(channel_end other) noexcept {
    std::swap(m_of, other.m_of);
    return *this;
  }
  ~channel_end() { drop(); }

  /// Whether this handle has a channel: not after a move from it.
  [[nodiscard]] explicit operator bool() const { return m_of != nullptr; }
  /// Gives the handle up before its end.
  void reset() { drop(); }

  /// The channel, for as long as this handle lives. Throws misuse if it has none.
  [[nodiscard]] channel<T>& of() const {
    if (m_of == nullptr) [[unlikely]]
      channel_end_is_empty(Sends ? "sender" : "receiver");
    return m_of->items;
  }

 protected:
  explicit channel_end(shared_channel<T>& of) : m_of(&of) {}

 private:
  void drop() {
    shared_channel<T>* const gone = std::exchange(m_of, nullptr);
    if (gone == nullptr) return;
    if (gone->counts.drop(Sends,
                          [gone] { Sends ? static_cast<void>(gone->items.close()) : gone->close_for_senders(); }))
      delete gone;
  }

  shared_channel<T>* m_of = nullptr;
};

}  // namespace detail

/// The right to send. Copies are further senders. When the last one is gone, the channel is closed: receivers get what
/// is left, and then nothing. Different handles may be used by anybody at once; one handle must not be copied, moved or
/// destroyed while it is assigned, and not be destroyed while it sends. About 10 ns to copy or to drop.
template <class T>
class sender : public detail::channel_end<T, true> {
 public:
  sender() = default;

  /// As those of channel. `closed`: all receivers are gone. They throw misuse on a handle that was moved from.
  template <class Item, class... Limits>
  [[nodiscard]] channel_status send(Item&& item, const Limits&... limits) const {
    return this->of().send(std::forward<Item>(item), limits...);
  }
  template <class Item>
  [[nodiscard]] channel_status try_send(Item&& item) const {
    return this->of().try_send(std::forward<Item>(item));
  }

 private:
  using detail::channel_end<T, true>::channel_end;
  friend std::pair<sender<T>, receiver<T>> make_channel<T>(std::size_t capacity);
};

/// The right to receive. Copies are further receivers; each item goes to one. When the last one is gone, the channel is
/// closed: sends are refused, those that wait too, and items that are left are destroyed. Else as sender.
template <class T>
class receiver : public detail::channel_end<T, false> {
 public:
  receiver() = default;

  /// As those of channel. Empty, or `closed`: all senders are gone, and there is nothing left.
  [[nodiscard]] std::optional<T> receive() const { return this->of().receive(); }
  received<T> receive(const wait_limits& limits) const { return this->of().receive(limits); }
  received<T> try_receive() const { return this->of().try_receive(); }
  [[nodiscard]] typename channel<T>::iterator begin() const { return this->of().begin(); }
  [[nodiscard]] std::default_sentinel_t end() const { return {}; }

 private:
  using detail::channel_end<T, false>::channel_end;
  friend std::pair<sender<T>, receiver<T>> make_channel<T>(std::size_t capacity);
};

/// A channel that lives as long as one of its handles:
///
///     auto [to, from] = ramie::make_channel<std::string>(10);
///     auto producer = ramie::spawn([to = std::move(to)] { … });     // its end, or its exception, closes the channel
///     for (std::string& line : from) print(line);
///
/// Throws as channel's constructor.
template <class T>
std::pair<sender<T>, receiver<T>> make_channel(std::size_t capacity) {
  auto* const made = new detail::shared_channel<T>(capacity);
  return {sender<T>(*made), receiver<T>(*made)};
}

}  // namespace ramie
