#include <ramie/base/exit_watch.hpp>

#include <atomic>
#include <cstdlib>

namespace ramie::detail {
namespace {

// relaxed: the thread that exits writes and reads them. Should it be a fiber that changes threads meanwhile, its switch
// orders them.
std::atomic<bool> g_exiting{false};
std::atomic<int> g_status{EXIT_SUCCESS};

// The C library destroys a thread's own objects when the thread ends; and when it calls exit(), before anything else.
// A thread that is still watching then has called exit(). A function registered there comes before all that is left,
// and is told the status.
struct watches_of_a_thread {
  int count = 0;
  ~watches_of_a_thread() {
    if (count == 0) return;
    g_exiting.store(true, std::memory_order_relaxed);
    static_cast<void>(
        ::on_exit([](int status, void* /*unused*/) { g_status.store(status, std::memory_order_relaxed); }, nullptr));
  }
};
thread_local watches_of_a_thread of_this_thread;

}  // namespace

// The first use of the object makes the C library allocate a few bytes for its destructor, and end the process where it
// cannot. So it is asked for more before that, by a call that may fail.
exit_watch::exit_watch() noexcept {
  void* const enough = std::malloc(4096);
  m_watches = enough != nullptr;
  std::free(enough);
  if (m_watches) ++of_this_thread.count;
}
exit_watch::~exit_watch() {
  if (m_watches) --of_this_thread.count;
}

void continue_exit() noexcept {
  if (g_exiting.load(std::memory_order_relaxed)) std::exit(g_status.load(std::memory_order_relaxed));
}

}  // namespace ramie::detail
