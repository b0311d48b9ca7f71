#include <ramie/sync/condition_variable.hpp>

#include <ramie/base/assert.hpp>
#include <ramie/scheduler/fiber.hpp>
#include <ramie/scheduler/parked.hpp>
#include <ramie/scheduler/wait.hpp>
#include <ramie/sync/wait_in.hpp>

#include <cstddef>
#include <utility>

namespace ramie {
namespace detail {
namespace {

// Fibers of one runtime that follow each other are woken in one operation.
class crowd {
 public:
  crowd() = default;
  crowd(const crowd&) = delete;
  crowd& operator=(const crowd&) = delete;
  ~crowd() { wake_them(); }

  void add(work_item& waiter) {
    if (waiter.kind != work_kind::fiber) return wake(waiter);
    const runtime* const home = &static_cast<fiber&>(waiter).home();
    if (m_count == most || (m_count != 0 && m_home != home)) wake_them();
    m_home = home;
    m_fibers[m_count++] = &waiter;
  }

 private:
  void wake_them() {
    if (m_count != 0) wake_fibers(m_fibers, m_count);
    m_count = 0;
  }

  static constexpr std::size_t most = 256;
  work_item* m_fibers[most];
  std::size_t m_count = 0;
  const runtime* m_home = nullptr;
};

}  // namespace

condition_wait::condition_wait(condition_core<>& of) : m_of(of), m_record(this_waiter()) {
  before_wait("wait()");
  m_node.set_record(m_record);
  m_of.enqueue(m_node);
}

condition_wait::~condition_wait() {
  if (m_is_over) return;
  if (m_record.claim(wake_reason::cancelled)) {
    m_of.withdraw(m_node);
    return;
  }
  for (unsigned round = 1; !m_record.is_finished(); ++round) {
    round % 64 != 0 ? native_provider::pause() : native_provider::yield_thread();
  }
  if (m_record.reason() == wake_reason::woken) {
    woken_waiters<> woken;
    m_of.notify(1, woken);
    woken.wake_each([](work_item& waiter) { wake(waiter); });
  } else {
    m_of.withdraw(m_node);
  }
}

wake_reason condition_wait::wait(const wait_limits* limits) {
  const wait_limits none{std::stop_token()};
  // A wait that is shielded may be asked for a second time. The node was taken back then, and the lock is not held:
  // notifications may have gone by. So that is a wake-up, and the caller looks at its condition.
  bool is_enqueued = true;
  const auto withdraw = [&] {
    m_of.withdraw(m_node);
    is_enqueued = false;
  };
  const wake_reason reason =
      wait_until(m_record, [&] { return is_enqueued; }, withdraw, limits != nullptr ? *limits : none);
  m_is_over = true;
  return reason;
}

}  // namespace detail

void condition_variable::notify(std::uint64_t most) noexcept {
  detail::woken_waiters<> woken;
  m_core.notify(most, woken);
  if (woken.empty()) return;
  if (most == 1) return woken.wake_each([](work_item& waiter) { wake(waiter); });
  detail::crowd together;
  woken.wake_each([&](work_item& waiter) { together.add(waiter); });
}

void condition_variable::destroyed() {
  detail::fail("a condition_variable was destroyed while fibers or threads wait for it.", "Notify them first.");
}

}  // namespace ramie
