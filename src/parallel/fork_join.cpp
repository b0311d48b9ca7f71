#include <ramie/parallel/first_error.hpp>
#include <ramie/parallel/fork_join.hpp>

namespace ramie::detail {

void call_without_stack(task& made) noexcept {
  static_cast<void>(worker::current()->no_stack_reason());
  made.run();
  static_cast<void>(made.complete());
}

void wait_for_fork_that_runs(task& made) {
  if (!made.is_done()) wait_for(worker::current(), made);
  if (someone_observes()) [[unlikely]]
    report_receipt(&made);
}

std::exception_ptr caught_here() noexcept {
  const fiber* const mine = worker::current()->current_fiber();
  return caught_in(mine != nullptr ? mine->current_task : nullptr);
}

void call_from_outside(function_ref<void()> function, runtime* on) {
  runtime& home = on != nullptr ? *on : runtime_here();
  // Before there is a fiber that would have to be joined if this throws.
  if (worker::current() == nullptr) have_process_runtime_run(&home);
  if (on != nullptr && !on->is_running()) {
    throw misuse(
        "an algorithm was told to use a runtime that nothing runs, and would wait for ever; call runtime::start() "
        "first");
  }
  home.spawn(function).join();
}

}  // namespace ramie::detail
