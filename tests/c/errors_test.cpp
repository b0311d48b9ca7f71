// The errors of the C interface: which code and which sentence.
#include <ramie/c/ramie.h>
#include <ramie/scheduler/spawn.hpp>

#include <gtest/gtest.h>

#include <support/repetitions.hpp>
#include <support/scarce_backend.hpp>
#include <support/watchdog.hpp>

#include <atomic>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <new>
#include <set>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <thread>

#include "c/objects.hpp"

namespace ramie {
namespace {

using test::watchdog;

void* nothing(void* argument) { return argument; }

/// The code, if the sentence has that part; else -1, and says what it has.
int with_sentence(int error, const char* part) {
  const std::string said = ramie_last_error();
  if (said.find(part) != std::string::npos) return error;
  ADD_FAILURE() << "error " << error << " says: " << said;
  return -1;
}

/// Runs `body` as the first fiber of a runtime.
template <class Body>
void in_fiber(Body body, const ramie_options* options = nullptr) {
  const watchdog limit("errors of the C interface");
  const ramie_function call = [](void* all) -> void* {
    (*static_cast<Body*>(all))();
    return nullptr;
  };
  ASSERT_EQ(ramie_run(options, call, &body, nullptr), RAMIE_OK) << ramie_last_error();
}

// ---- Codes ----

TEST(CErrors, Strerror_SaysSomethingElseOfEach_AndSomethingOfUnknownNumbers) {
  std::set<std::string> all;
  for (int error = RAMIE_OK; error <= RAMIE_ERROR_EXCEPTION; ++error) all.insert(ramie_strerror(error));
  EXPECT_EQ(all.size(), 9U);
  for (const int error : {-1, RAMIE_ERROR_EXCEPTION + 1, 1000, INT_MAX, INT_MIN}) {
    ASSERT_NE(ramie_strerror(error), nullptr);
    EXPECT_FALSE(all.contains(ramie_strerror(error))) << error;
  }
}

// Programs are compiled with them.
TEST(CErrors, Numbers_StayAsTheyAre) {
  EXPECT_EQ(RAMIE_OK, 0);
  EXPECT_EQ(RAMIE_ERROR_ARGUMENT, 1);
  EXPECT_EQ(RAMIE_ERROR_OPTION, 2);
  EXPECT_EQ(RAMIE_ERROR_UNKNOWN_OPTION, 3);
  EXPECT_EQ(RAMIE_ERROR_MEMORY, 4);
  EXPECT_EQ(RAMIE_ERROR_STACK, 5);
  EXPECT_EQ(RAMIE_ERROR_THREAD, 6);
  EXPECT_EQ(RAMIE_ERROR_MISUSE, 7);
  EXPECT_EQ(RAMIE_ERROR_EXCEPTION, 8);
}

TEST(CErrors, LastError_BelongsToTheThread_AndSuccessLeavesIt) {
  EXPECT_EQ(with_sentence(ramie_yield(), "ramie::yield()"), RAMIE_ERROR_MISUSE);
  std::thread([] {
    EXPECT_STREQ(ramie_last_error(), "");
    EXPECT_EQ(with_sentence(ramie_join(nullptr, nullptr), "ramie_join"), RAMIE_ERROR_ARGUMENT);
  }).join();
  EXPECT_EQ(ramie_run(nullptr, nothing, nullptr, nullptr), RAMIE_OK);
  EXPECT_NE(std::strstr(ramie_last_error(), "ramie::yield()"), nullptr);
}

// Fibers that fail and move between threads: each reads its own sentence as long as it does not wait.
TEST(CErrors, Stress_LastError_OfFibersThatMigrate_IsThatOfTheLastFailedCall) {
  const watchdog limit("fibers that fail");
  ramie_options options = RAMIE_OPTIONS_INIT;
  options.workers = 4;
  in_fiber(
      [] {
        static std::atomic<int> wrong;
        wrong = 0;
        ramie_counter* left = nullptr;
        ASSERT_EQ(ramie_counter_new(0, &left), RAMIE_OK);
        const ramie_function fail_often = [](void* number) -> void* {
          const auto target = -1 - static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(number));
          ramie_counter* own = nullptr;
          if (ramie_counter_new(1, &own) != RAMIE_OK) return nullptr;
          const std::string expected = "the target " + std::to_string(target) + ",";
          for (int i = 0; i < 200; ++i) {
            const int error = ramie_counter_wait(own, target);
            if (error != RAMIE_ERROR_ARGUMENT || std::strstr(ramie_last_error(), expected.c_str()) == nullptr) ++wrong;
            ramie_yield();
          }
          ramie_counter_free(own);
          return nullptr;
        };
        for (std::intptr_t i = 0; i < 50; ++i) {
          EXPECT_EQ(ramie_spawn_with_counter(left, nullptr, fail_often, reinterpret_cast<void*>(i)), RAMIE_OK);
        }
        EXPECT_EQ(ramie_counter_wait(left, 0), RAMIE_OK);
        EXPECT_EQ(wrong, 0);
        ramie_counter_free(left);
      },
      &options);
}

// ---- Arguments ----

TEST(CErrors, NullWhereACodeIsReturned_IsAnArgumentError) {
  int result_untouched = 5;
  void* result = &result_untouched;
  ramie_runtime* home = nullptr;
  ASSERT_EQ(ramie_runtime_new(nullptr, &home), RAMIE_OK);
  EXPECT_EQ(with_sentence(ramie_run(nullptr, nullptr, nullptr, &result), "ramie_run was given NULL as the function"),
            RAMIE_ERROR_ARGUMENT);
  EXPECT_EQ(with_sentence(ramie_runtime_new(nullptr, nullptr), "as the place"), RAMIE_ERROR_ARGUMENT);
  EXPECT_EQ(with_sentence(ramie_runtime_start(nullptr), "as the runtime"), RAMIE_ERROR_ARGUMENT);
  EXPECT_EQ(with_sentence(ramie_runtime_stop(nullptr), "as the runtime"), RAMIE_ERROR_ARGUMENT);
  EXPECT_EQ(with_sentence(ramie_runtime_run(nullptr), "as the runtime"), RAMIE_ERROR_ARGUMENT);
  EXPECT_EQ(with_sentence(ramie_runtime_spawn(nullptr, nullptr, nullptr, nothing, nullptr), "as the runtime"),
            RAMIE_ERROR_ARGUMENT);
  EXPECT_EQ(with_sentence(ramie_runtime_spawn(home, nullptr, nullptr, nullptr, nullptr), "as the function"),
            RAMIE_ERROR_ARGUMENT);
  EXPECT_EQ(with_sentence(ramie_join(nullptr, &result), "ramie_join was given NULL as the fiber"),
            RAMIE_ERROR_ARGUMENT);
  EXPECT_EQ(with_sentence(ramie_detach(nullptr), "as the fiber"), RAMIE_ERROR_ARGUMENT);
  EXPECT_EQ(with_sentence(ramie_counter_new(1, nullptr), "as the place"), RAMIE_ERROR_ARGUMENT);
  EXPECT_EQ(with_sentence(ramie_counter_wait(nullptr, 0), "as the counter"), RAMIE_ERROR_ARGUMENT);
  EXPECT_EQ(with_sentence(ramie_spawn_with_counter(nullptr, nullptr, nothing, nullptr), "as the counter"),
            RAMIE_ERROR_ARGUMENT);
  EXPECT_EQ(result, &result_untouched);
  ramie_runtime_free(home);
  in_fiber([] {
    ramie_counter* counter = nullptr;
    ASSERT_EQ(ramie_counter_new(3, &counter), RAMIE_OK);
    EXPECT_EQ(with_sentence(ramie_spawn(nullptr, nullptr, nullptr, nullptr), "as the function"), RAMIE_ERROR_ARGUMENT);
    EXPECT_EQ(with_sentence(ramie_fork_join(nullptr, nullptr, nullptr, nothing, nullptr, nullptr), "as the function"),
              RAMIE_ERROR_ARGUMENT);
    EXPECT_EQ(with_sentence(ramie_fork_join(nothing, nullptr, nullptr, nullptr, nullptr, nullptr), "as the function"),
              RAMIE_ERROR_ARGUMENT);
    EXPECT_EQ(with_sentence(ramie_spawn_with_counter(counter, nullptr, nullptr, nullptr), "as the function"),
              RAMIE_ERROR_ARGUMENT);
    EXPECT_EQ(ramie_counter_value(counter), 3);
    ramie_counter_free(counter);
  });
}

TEST(CErrors, Counters_RefuseWhatNoCounterHas) {
  ramie_counter* counter = nullptr;
  EXPECT_EQ(with_sentence(ramie_counter_new(-1, &counter), "count -1"), RAMIE_ERROR_ARGUMENT);
  EXPECT_EQ(ramie_counter_new(RAMIE_COUNTER_MAX + 1, &counter), RAMIE_ERROR_ARGUMENT);
  EXPECT_EQ(counter, nullptr);
  ASSERT_EQ(ramie_counter_new(RAMIE_COUNTER_MAX, &counter), RAMIE_OK);
  EXPECT_EQ(ramie_counter_value(counter), RAMIE_COUNTER_MAX);
  EXPECT_EQ(with_sentence(ramie_counter_wait(counter, -1), "target -1"), RAMIE_ERROR_ARGUMENT);
  EXPECT_EQ(ramie_counter_wait(counter, RAMIE_COUNTER_MAX), RAMIE_OK);
  EXPECT_DEATH(ramie_counter_add(counter, 1), "ramie: ");
  ramie_counter_free(counter);
}

TEST(CErrors, NullWhereNoCodeIsReturned_EndsTheProcessWithASentence) {
  EXPECT_DEATH(ramie_runtime_worker_count(nullptr), "ramie: ramie_runtime_worker_count was given NULL as the runtime");
  EXPECT_DEATH(ramie_fiber_done(nullptr), "ramie: ramie_fiber_done was given NULL as the fiber");
  EXPECT_DEATH(ramie_fiber_id(nullptr), "ramie: ramie_fiber_id was given NULL as the fiber");
  EXPECT_DEATH(ramie_fiber_name(nullptr), "ramie: ramie_fiber_name was given NULL as the fiber");
  EXPECT_DEATH(ramie_counter_add(nullptr, 1), "ramie: ramie_counter_add was given NULL as the counter");
  EXPECT_DEATH(ramie_counter_decrement(nullptr, 1), "ramie: ramie_counter_decrement was given NULL as the counter");
  EXPECT_DEATH(ramie_counter_value(nullptr), "ramie: ramie_counter_value was given NULL as the counter");
}

// ---- Misuse ----

TEST(CErrors, WhatNeedsAFiber_IsMisuseElsewhere) {
  ramie_fiber* fiber = nullptr;
  ramie_counter* counter = nullptr;
  ASSERT_EQ(ramie_counter_new(0, &counter), RAMIE_OK);
  EXPECT_EQ(ramie_yield(), RAMIE_ERROR_MISUSE);
  EXPECT_EQ(with_sentence(ramie_spawn(&fiber, nullptr, nothing, nullptr), "no runtime is"), RAMIE_ERROR_MISUSE);
  EXPECT_EQ(fiber, nullptr);
  EXPECT_EQ(ramie_spawn_with_counter(counter, nullptr, nothing, nullptr), RAMIE_ERROR_MISUSE);
  EXPECT_EQ(ramie_counter_value(counter), 0);
  EXPECT_EQ(with_sentence(ramie_fork_join(nothing, nullptr, nullptr, nothing, nullptr, nullptr), "ramie_fork_join()"),
            RAMIE_ERROR_MISUSE);
  ramie_counter_free(counter);
}

TEST(CErrors, ARuntimeInsideItsOwnFiber_IsMisuse) {
  static ramie_runtime* home;
  ASSERT_EQ(ramie_runtime_new(nullptr, &home), RAMIE_OK);
  ASSERT_EQ(ramie_runtime_start(home), RAMIE_OK);
  EXPECT_EQ(with_sentence(ramie_runtime_start(home), "running already"), RAMIE_ERROR_MISUSE);
  const ramie_function inside = [](void*) -> void* {
    EXPECT_EQ(ramie_runtime_stop(home), RAMIE_ERROR_MISUSE);
    EXPECT_EQ(ramie_runtime_run(home), RAMIE_ERROR_MISUSE);
    EXPECT_EQ(ramie_run(nullptr, nothing, nullptr, nullptr), RAMIE_ERROR_MISUSE);
    return nullptr;
  };
  ramie_fiber* fiber = nullptr;
  ASSERT_EQ(ramie_runtime_spawn(home, &fiber, nullptr, inside, nullptr), RAMIE_OK);
  EXPECT_EQ(ramie_join(fiber, nullptr), RAMIE_OK);
  ramie_runtime_free(home);
}

TEST(CErrors, FreedByItsOwnFiber_EndsTheProcessWithASentence) {
  const auto free_inside = [] {
    static ramie_runtime* home;
    const ramie_function inside = [](void*) -> void* {
      ramie_runtime_free(home);
      return nullptr;
    };
    if (ramie_runtime_new(nullptr, &home) != RAMIE_OK) return;
    if (ramie_runtime_spawn(home, nullptr, nullptr, inside, nullptr) == RAMIE_OK) ramie_runtime_run(home);
  };
  EXPECT_DEATH(free_inside(), "ramie: ramie_runtime_free was called by one of the runtime's own fibers");
}

TEST(CErrors, AFiberThatJoinsItself_IsMisuse_AndItsHandleStaysGood) {
  in_fiber([] {
    static std::atomic<ramie_fiber*> self;
    self = nullptr;
    const ramie_function join_self = [](void*) -> void* {
      while (self == nullptr) ramie_yield();
      const int error = ramie_join(self, nullptr);
      return reinterpret_cast<void*>(static_cast<std::intptr_t>(error));
    };
    ramie_fiber* fiber = nullptr;
    ASSERT_EQ(ramie_spawn(&fiber, nullptr, join_self, nullptr), RAMIE_OK);
    self = fiber;
    void* error = nullptr;
    EXPECT_EQ(ramie_join(fiber, &error), RAMIE_OK);
    EXPECT_EQ(reinterpret_cast<std::intptr_t>(error), RAMIE_ERROR_MISUSE);
  });
}

TEST(CErrors, AHandleThatIsLeft_EndsTheProcess) {
  const auto leave_it = [] {
    ramie_runtime* home = nullptr;
    ramie_fiber* fiber = nullptr;
    if (ramie_runtime_new(nullptr, &home) != RAMIE_OK) return;
    if (ramie_runtime_spawn(home, &fiber, nullptr, nothing, nullptr) == RAMIE_OK) ramie_runtime_free(home);
  };
  EXPECT_DEATH(leave_it(), "a runtime was destroyed before 1 handles");
}

// ---- Exceptions ----

void* throw_sentence(void*) { throw std::runtime_error("what the program says"); }
void* throw_number(void*) { throw 7; }
void* throw_misuse(void*) { throw misuse("not ramie's own"); }

TEST(CErrors, AnExceptionThatLeavesAFiber_ComesToTheJoin) {
  in_fiber([] {
    for (const auto& [thrower, part] :
         {std::pair(&throw_sentence, "what the program says"), std::pair(&throw_number, "no std::exception"),
          std::pair(&throw_misuse, "not ramie's own")}) {
      ramie_fiber* fiber = nullptr;
      void* result = &fiber;
      ASSERT_EQ(ramie_spawn(&fiber, nullptr, thrower, nullptr), RAMIE_OK);
      EXPECT_EQ(with_sentence(ramie_join(fiber, &result), part), RAMIE_ERROR_EXCEPTION);
      EXPECT_EQ(result, &fiber);
    }
  });
  EXPECT_EQ(with_sentence(ramie_run(nullptr, throw_sentence, nullptr, nullptr), "what the program says"),
            RAMIE_ERROR_EXCEPTION);
}

TEST(CErrors, ForkJoin_GivesTheFirstExceptionOfTheTwo_WhenBothWereCalled) {
  in_fiber([] {
    std::atomic<int> called{0};
    const ramie_function count = [](void* all) -> void* {
      ++*static_cast<std::atomic<int>*>(all);
      return nullptr;
    };
    void* result = &called;
    EXPECT_EQ(with_sentence(ramie_fork_join(throw_sentence, nullptr, &result, count, &called, &result), "the program"),
              RAMIE_ERROR_EXCEPTION);
    EXPECT_EQ(with_sentence(ramie_fork_join(count, &called, &result, throw_number, nullptr, &result), "no std::"),
              RAMIE_ERROR_EXCEPTION);
    EXPECT_EQ(
        with_sentence(ramie_fork_join(throw_misuse, nullptr, nullptr, throw_number, nullptr, nullptr), "not ramie's"),
        RAMIE_ERROR_EXCEPTION);
    EXPECT_EQ(called, 2);
    EXPECT_EQ(result, &called);
    EXPECT_EQ(ramie_fork_join(count, &called, nullptr, count, &called, nullptr), RAMIE_OK);
  });
}

TEST(CErrors, AnExceptionThatNobodyJoins_EndsTheProcessWithTheFibersName) {
  const auto detached = [] {
    in_fiber([] {
      ramie_spawn_options how = RAMIE_SPAWN_OPTIONS_INIT;
      how.name = "nobody's";
      ramie_spawn(nullptr, &how, throw_sentence, nullptr);
    });
  };
  const auto counted = [] {
    in_fiber([] {
      ramie_spawn_options how = RAMIE_SPAWN_OPTIONS_INIT;
      how.name = "counted";
      ramie_counter* left = nullptr;
      if (ramie_counter_new(0, &left) != RAMIE_OK) return;
      ramie_spawn_with_counter(left, &how, throw_sentence, nullptr);
      ramie_counter_wait(left, 0);
    });
  };
  EXPECT_DEATH(detached(), "nobody's.*std::runtime_error: what the program says");
  EXPECT_DEATH(counted(), "counted.*std::runtime_error: what the program says");
}

TEST(CErrors, ASentenceTooLong_IsCut) {
  static const std::string text(5000, 'x');
  const ramie_function thrower = [](void*) -> void* { throw std::runtime_error(text); };
  EXPECT_EQ(ramie_run(nullptr, thrower, nullptr, nullptr), RAMIE_ERROR_EXCEPTION);
  std::string cut(1020, 'x');
  cut += "...";
  EXPECT_EQ(ramie_last_error(), cut);
}

// ---- Stacks, memory, threads ----

TEST(CErrors, AFiberWithoutAStack_IsNotCalled_AndItsJoinSaysSo) {
  const watchdog limit("no stacks");
  test::scarce_backend only_one(1);
  options chosen;
  chosen.workers = 1;
  chosen.backend = &only_one;
  ramie_runtime home(chosen);
  const ramie_function first = [](void*) -> void* {
    ramie_fiber* fiber = nullptr;
    void* result = &fiber;
    EXPECT_EQ(ramie_spawn(&fiber, nullptr, nothing, nullptr), RAMIE_OK);
    EXPECT_EQ(with_sentence(ramie_join(fiber, &result), "no stack is left"), RAMIE_ERROR_STACK);
    EXPECT_EQ(result, &fiber);
    return nullptr;
  };
  ramie_fiber* fiber = nullptr;
  ASSERT_EQ(ramie_runtime_spawn(&home, &fiber, nullptr, first, nullptr), RAMIE_OK);
  ASSERT_EQ(ramie_runtime_run(&home), RAMIE_OK);
  EXPECT_EQ(ramie_join(fiber, nullptr), RAMIE_OK);
}

#if !RAMIE_ASAN && !RAMIE_TSAN  // they end a process that gets no memory

// In a process of its own, whose address space ends soon.
int out_of_address_space() {
  ramie_options options = RAMIE_OPTIONS_INIT;
  options.workers = 1;
  ramie_runtime* home = nullptr;
  if (ramie_runtime_new(&options, &home) != RAMIE_OK) return 1;
  const rlimit little{.rlim_cur = rlim_t{8} << 30U, .rlim_max = RLIM_INFINITY};
  if (::setrlimit(RLIMIT_AS, &little) != 0) return 2;
  ramie_spawn_options how = RAMIE_SPAWN_OPTIONS_INIT;
  how.stack_size = std::size_t{64} << 30U;
  ramie_fiber* fiber = nullptr;
  if (ramie_runtime_spawn(home, &fiber, &how, nothing, nullptr) != RAMIE_OK) return 3;
  if (ramie_runtime_run(home) != RAMIE_OK) return 4;
  if (ramie_join(fiber, nullptr) != RAMIE_ERROR_STACK) return 5;
  if (std::strstr(ramie_last_error(), "address space") == nullptr) return 6;
  ramie_runtime_free(home);

  options.workers = 4096;  // a stack each, of 8 MiB and more
  if (ramie_runtime_new(&options, &home) != RAMIE_OK) return 7;
  const int started = ramie_runtime_start(home);
  if (started != RAMIE_ERROR_THREAD) return 8;
  if (std::strstr(ramie_last_error(), "could not be started") == nullptr) return 9;
  ramie_runtime_free(home);
  return 0;
}

TEST(CErrors, WithoutAddressSpace_StacksAndThreadsAreRefused) {
  EXPECT_EXIT(std::_Exit(out_of_address_space()), ::testing::ExitedWithCode(0), "");
}

// In a process of its own, which gets nothing any more.
int out_of_memory() {
  ramie_counter* counter = nullptr;
  const rlimit none{.rlim_cur = 1 << 20, .rlim_max = RLIM_INFINITY};
  if (::setrlimit(RLIMIT_AS, &none) != 0) return 1;
  for (std::size_t made = 0; made < std::size_t{1} << 28U; ++made) {  // until malloc's reserve is gone
    const int error = ramie_counter_new(0, &counter);
    if (error != RAMIE_OK)
      return error == RAMIE_ERROR_MEMORY && std::strstr(ramie_last_error(), "no memory") != nullptr ? 0 : 2;
  }
  return 3;
}

TEST(CErrors, WithoutMemory_ItSaysSo) { EXPECT_EXIT(std::_Exit(out_of_memory()), ::testing::ExitedWithCode(0), ""); }
#endif

}  // namespace
}  // namespace ramie
