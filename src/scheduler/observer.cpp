#include <ramie/scheduler/observer.hpp>

#include <ramie/scheduler/hand_over.hpp>
#include <ramie/scheduler/runtime.hpp>
#include <ramie/scheduler/worker.hpp>

namespace ramie::detail {

constinit native_provider::atomic<unsigned> observed_runtimes{0};

namespace {

// Out of line and asked anew each time: the caller may have come back on another thread.
const task* observed_task(observer** events) {
  const fiber* const running = running_fiber();
  if (running == nullptr || running->home().events() == nullptr) return nullptr;
  *events = running->home().events();
  return running->current_task;
}

}  // namespace

void report_signal(const void* object) noexcept {
  observer* events = nullptr;
  if (const task* const signaller = observed_task(&events)) events->signalled(object, signaller->id());
}

void report_receipt(const void* object) noexcept {
  observer* events = nullptr;
  if (const task* const receiver = observed_task(&events)) events->received(object, receiver->id());
}

void report_destruction(const void* object) noexcept {
  observer* events = nullptr;
  if (observed_task(&events) != nullptr) events->destroyed(object);
}

}  // namespace ramie::detail
