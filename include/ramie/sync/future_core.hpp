// Not for users.
//
// What a promise and its futures share, but for the value, without knowing what a fiber is: the part that the model
// checker runs. An event for those that wait; the right to give the value, which one may take; the owners, of whom the
// last one frees it.
#pragma once

#include <ramie/base/provider.hpp>
#include <ramie/sync/event_core.hpp>

#include <cstdint>

namespace ramie::detail {

template <class Provider = native_provider>
class future_core {
 public:
  using event = event_core<event_kind::manual, Provider>;

  future_core() = default;
  future_core(const future_core&) = delete;
  future_core& operator=(const future_core&) = delete;

  /// An owner, for another one. There is one to begin with.
  void add_owner() { m_owners.fetch_add(1, std::memory_order_relaxed); }
  /// True: it was the last one.
  [[nodiscard]] bool drop_owner() {
    // [F1] acq_rel: what each owner has done is before what the last one does, which frees it. Weaker: it is freed
    // while another one still reads it.
    return m_owners.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }

  /// Any owner. The right to give the value, and to publish() it; false: somebody has it.
  [[nodiscard]] bool take_right() {
    // [F2] acquire: the place of the value as somebody has left it who could not make one; pairs with [F3]. Weaker: two
    // write there at once.
    return !m_taken.exchange(true, std::memory_order_acquire);
  }
  void give_back_right() {
    m_taken.store(false, std::memory_order_release);  // [F3], pairs with [F2]
  }

  /// The holder of the right, when the value is there. Wakes by wake(waiter).
  template <class Wake>
  void publish(Wake&& wake) {
    m_done.set(wake);
  }
  /// Any owner. True: the value is seen.
  [[nodiscard]] bool is_ready() const { return m_done.is_set_now(); }
  /// What is waited for; see wait_in.hpp.
  [[nodiscard]] event& done() { return m_done; }

 private:
  event m_done;
  typename Provider::template atomic<std::uint32_t> m_owners{1};
  typename Provider::template atomic<bool> m_taken{false};
};

}  // namespace ramie::detail
