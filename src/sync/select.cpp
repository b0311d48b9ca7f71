#include <ramie/sync/select.hpp>

#include <ramie/base/provider.hpp>
#include <ramie/base/random.hpp>
#include <ramie/scheduler/parked.hpp>

#include <atomic>

namespace ramie::detail {
namespace {

struct seeded_source {
  static inline native_provider::atomic<std::uint64_t> made{0};
  random_source numbers{made.fetch_add(1, std::memory_order_relaxed) + 1};
};

}  // namespace

// Not inlined, and without a switch: so a fiber may ask for what is the thread's.
[[gnu::noinline]] unsigned random_start(unsigned clauses) {
  return native_provider::of_this_thread<seeded_source>().numbers.below(clauses);
}

void claim_running(wait_record<work_item>& of) {
  if (of.claim(wake_reason::woken)) static_cast<void>(of.finish());
}

[[gnu::noinline]] bool stop_arm::enqueue(wait_record<work_item>& of) {
  m_callback.emplace(m_token, ender{of});
  return !m_token.stop_requested();
}

[[gnu::noinline]] void stop_arm::withdraw() { m_callback.reset(); }

void stop_arm::ender::operator()() const noexcept {
  if (!of.claim(wake_reason::woken)) return;
  if (work_item* const sleeper = of.finish()) wake(*sleeper);
}

[[gnu::noinline]] wake_reason wait_for_one(wait_record<work_item>& of, function_ref<void()> enqueue,
                                           function_ref<void()> withdraw, const wait_limits* limits) {
  before_wait("select()");
  static const wait_limits none{std::stop_token()};
  const wake_reason reason =
      wait_until(of, [&] { return enqueue(), true; }, withdraw, limits != nullptr ? *limits : none);
  if (reason == wake_reason::woken) withdraw();
  return reason;
}

}  // namespace ramie::detail
