// A deadline that ends a wait, for scenarios of other things than timers: one place under a lock.
#pragma once

#include <model/checker/check.hpp>

#include <ramie/base/futex_lock.hpp>
#include <ramie/scheduler/wait_record.hpp>

#include <mutex>

namespace ramie::model {

template <class Waiter>
class one_deadline {
 public:
  using record = detail::wait_record<Waiter, provider>;

  void set(record& of) {
    const std::lock_guard guard(m_lock);
    m_of = &of;
  }
  void take_back() {
    const std::lock_guard guard(m_lock);
    m_of = nullptr;
  }
  template <class Wake>
  void expire(Wake&& wake) {
    record* claimed = nullptr;
    {
      const std::lock_guard guard(m_lock);
      if (m_of != nullptr && m_of->claim(wake_reason::timed_out)) claimed = m_of;
      m_of = nullptr;
    }
    if (claimed == nullptr) return;
    if (Waiter* const sleeper = claimed->finish()) wake(*sleeper);
  }

 private:
  lock_of<provider> m_lock;
  plain<record*> m_of = nullptr;
};

}  // namespace ramie::model
