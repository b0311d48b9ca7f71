#include <ramie/sync/wait_in.hpp>

#include <ramie/scheduler/diagnosis.hpp>
#include <ramie/scheduler/hand_over.hpp>
#include <ramie/scheduler/spawn.hpp>

namespace ramie::detail {

void before_wait(const char* call) {
  if (worker::current() != nullptr || running_fiber() != nullptr) return;
  if (diagnosis::child_of_a_fiber()) fail_in_forked_child(call, "the fibers that would end the wait");
  have_process_runtime_run(nullptr);
}

wake_reason wait_with_record(wait_node<>& mine, const char* call, function_ref<void()> enqueue,
                             function_ref<void()> withdraw, const wait_limits& limits) {
  before_wait(call);
  wait_node<>::record_type record(this_waiter());
  mine.set_record(record);
  return wait_until(record, [&] { return enqueue(), true; }, withdraw, limits);
}

void wait_off_fast_path(wait_node<>& mine, const char* call, function_ref<void()> enqueue,
                        function_ref<void()> withdraw) {
  static_cast<void>(wait_with_record(mine, call, enqueue, withdraw, wait_limits(std::stop_token())));
}

}  // namespace ramie::detail
