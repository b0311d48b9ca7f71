// Threads with the standard library's mutex, condition variable and semaphore.
#include <condition_variable>
#include <cstring>
#include <future>
#include <pthread.h>
#include <sched.h>
#include <semaphore>
#include <stdexcept>

#include "framework/machine.hpp"
#include "waiting/contenders.hpp"
#include "waiting/rows_of.hpp"

namespace bench::waiting {
namespace {

struct kit {
  using mutex = std::mutex;
  using condition_variable = std::condition_variable;
  using semaphore = std::counting_semaphore<>;
  template <class Function>
  static std::thread spawn(Function function) {
    return std::thread(std::move(function));
  }
  static void yield() { sched_yield(); }
};

// The threads that this one starts inherit it.
void use_cpus(unsigned count) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : allowed_cpus()) {
    if (count-- == 0) break;
    CPU_SET(static_cast<unsigned>(cpu), &set);
  }
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

timed run(const char* row, std::uint64_t n) {
  const auto is = [row](const char* name) { return std::strcmp(row, name) == 0; };
  if (is(row_mutex_free)) return mutex_free<kit>(n);
  if (is(row_mutex_100)) return mutex_shared<kit>(n, false, 0);
  if (is(row_mutex_100_yield)) return mutex_shared<kit>(n, true, 0);
  if (is(row_mutex_threads)) return mutex_shared<kit>(n, false, threads_beside);
  if (is(row_semaphore)) return semaphore<kit>(n);
  if (is(row_condvar_broadcast)) return condvar_broadcast<kit>(n);
  throw std::invalid_argument(std::string("no row of threads: ") + row);
}

}  // namespace

timed run_std(unsigned cpus, const char* row, std::uint64_t operations) {
  return std::async(std::launch::async,
                    [=] {
                      use_cpus(cpus);
                      return run(row, operations);
                    })
      .get();
}

}  // namespace bench::waiting
