#include <ramie/sync/once.hpp>

#include <ramie/scheduler/parked.hpp>
#include <ramie/sync/wait_in.hpp>

namespace ramie {

void detail::call_once_slowly(once_flag& flag, const function_ref<void()>& call) {
  once_core<>& core = flag.m_core;
  if (!core.begin_quickly()) {
    if (core.is_done()) return;
    once_core<>::node mine;
    wait_in(core, mine, "call_once()");
    if (!mine.runs()) return;
  }
  const auto wake_waiter = [](work_item& waiter) { wake(waiter); };
  try {
    call();
  } catch (...) {
    core.finish(/*succeeded=*/false, wake_waiter);
    throw;
  }
  core.finish(/*succeeded=*/true, wake_waiter);
}

}  // namespace ramie
