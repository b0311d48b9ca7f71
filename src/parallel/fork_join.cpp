#include <ramie/parallel/fork_join.hpp>

namespace ramie::detail {
namespace {

task& call_as_task(task& made) noexcept {
  made.run();
  static_cast<void>(made.complete());
  return made;
}

}  // namespace

task& begin_fork(worker& here, fork_frame& fork) {
  task& made = fork.make_task(fork, here.home());
  if (here.current_fiber() == nullptr) [[unlikely]]
    return call_as_task(made);  // in the run loop: nothing that could be left to others
  if (here.run_child_first(made)) [[likely]] {
    worker::current()->count_as_freed();
    return made;
  }
  static_cast<void>(here.why_no_stack());
  return call_as_task(made);
}

task& call_fork(worker& here, fork_frame& fork) { return call_as_task(fork.make_task(fork, here.home())); }

void call_from_outside(function_ref<void()> function) { runtime_here().spawn(function).join(); }

}  // namespace ramie::detail
