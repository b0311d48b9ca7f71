// Signals that arrive while fibers run and workers sleep.
#include <support/eventually.hpp>
#include <support/fibers.hpp>
#include <support/watchdog.hpp>

#include <gtest/gtest.h>

#include <csignal>
#include <sys/time.h>
#include <thread>
#include <unistd.h>

namespace ramie {
namespace {

using test::watchdog;
using test::with_workers;

std::atomic<int> g_signals{0};

// A timer that fires a thousand times a second of processor time, wherever the fibers happen to be.
TEST(Signals, ArriveWhileFibersSwitch_AndDisturbNothing) {
  const watchdog limit("signals");
  struct sigaction action{}, before{};
  action.sa_handler = [](int) { ++g_signals; };
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGPROF, &action, &before);
  itimerval often{.it_interval = {.tv_sec = 0, .tv_usec = 1000}, .it_value = {.tv_sec = 0, .tv_usec = 1000}};
  ::setitimer(ITIMER_PROF, &often, nullptr);
  std::atomic<int> ran{0};
  int rounds = 0;
  const test::waiting_time left;
  while (g_signals < 30 && !left.over()) {
    ++rounds;
    run(with_workers(3), [&] {
      counter done;
      for (int i = 0; i < 200; ++i) {
        spawn_with_counter(done, [&] {
          for (int j = 0; j < 10; ++j) yield();
          ++ran;
        });
      }
      wait_for_counter(done);
    });
  }
  const itimerval never{};
  ::setitimer(ITIMER_PROF, &never, nullptr);
  ::sigaction(SIGPROF, &before, nullptr);
  EXPECT_EQ(ran, rounds * 200);
  EXPECT_GE(g_signals, 30);
}

// Sleeping workers and threads are woken by signals too, and sleep on.
TEST(Signals, InterruptSleepers_WithoutHarm) {
  const watchdog limit("signals to sleepers");
  struct sigaction action{}, before{};
  action.sa_handler = [](int) {};
  ::sigaction(SIGUSR1, &action, &before);
  {
    runtime home(with_workers(2));
    home.start();
    counter gate(1);
    auto waits = home.spawn([&] {
      wait_for_counter(gate);
      return 6;
    });
    const pthread_t joiner = ::pthread_self();
    std::thread sender([&] {
      for (int i = 0; i < 50; ++i) {
        ::pthread_kill(joiner, SIGUSR1);
        ::kill(::getpid(), SIGUSR1);
        std::this_thread::sleep_for(std::chrono::microseconds(200));
      }
      gate.decrement();
    });
    EXPECT_EQ(waits.join(), 6);
    sender.join();
  }
  ::sigaction(SIGUSR1, &before, nullptr);
}

}  // namespace
}  // namespace ramie
