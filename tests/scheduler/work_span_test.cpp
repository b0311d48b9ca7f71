// Work and span of programs whose dag is known, on a clock that only the fibers' own work moves.
#include <support/fibers.hpp>

#include <ramie/ramie.hpp>
#include <ramie/scheduler/work_span.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace ramie {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

// A strand stays on its thread, so a clock of each thread's own measures it, and no noise does.
thread_local nanoseconds thread_time{1};
[[gnu::noinline]] nanoseconds own_time() {
  asm volatile("" ::: "memory");  // the thread may have changed since the last call
  return thread_time;
}
[[gnu::noinline]] void work(milliseconds time) {
  asm volatile("" ::: "memory");
  thread_time += time;
}

constexpr milliseconds burden{1};

template <class Program>
work_span_result profile_of(unsigned workers, Program program) {
  work_span profile(nullptr, burden, &own_time);
  run(options{.workers = workers, .events = &profile}, program);
  return profile.result();
}

class WorkSpan : public testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(, WorkSpan, testing::Values(1U, 2U, 4U));

TEST_P(WorkSpan, OfAChain_AreEqual) {
  const auto r = profile_of(GetParam(), [] {
    work(milliseconds(3));
    spawn([] {
      work(milliseconds(4));
      spawn([] { work(milliseconds(5)); }).join();
      yield();
      work(milliseconds(6));
    }).join();
    work(milliseconds(7));
  });
  EXPECT_EQ(r.work, milliseconds(25));
  EXPECT_EQ(r.span, milliseconds(25));
  // Two spawns and two joins, one after another.
  EXPECT_EQ(r.burdened_span, milliseconds(29));
  EXPECT_EQ(r.fibers, 3U);
}

TEST_P(WorkSpan, OfChildrenOfACounter_IsTheLongestChild_WhoeverEndsLast) {
  const auto r = profile_of(GetParam(), [] {
    counter running;
    for (const int ms : {1, 20, 2, 9, 3, 4, 5, 6}) spawn_with_counter(running, [ms] { work(milliseconds(ms)); });
    wait_for_counter(running);
    work(milliseconds(10));
  });
  EXPECT_EQ(r.work, milliseconds(60));
  EXPECT_EQ(r.span, milliseconds(30));
  EXPECT_EQ(r.burdened_span, milliseconds(32));
  EXPECT_DOUBLE_EQ(r.parallelism(), 2);
  EXPECT_DOUBLE_EQ(r.allowed(2), 1);
  EXPECT_DOUBLE_EQ(r.allowed(1U << 20U), 60.0 / (60.0 / (1U << 20U) + 30));
}

TEST_P(WorkSpan, OfAJoinThatNeedNotWait_StillSeesTheChild) {
  const auto r = profile_of(GetParam(), [] {
    auto child = spawn([] { work(milliseconds(50)); });
    while (!child.done()) yield();
    work(milliseconds(1));
    child.join();
    work(milliseconds(2));
  });
  EXPECT_EQ(r.work, milliseconds(53));
  EXPECT_EQ(r.span, milliseconds(52));
}

TEST_P(WorkSpan, OfATree_HalvesAtEachLevel) {
  struct tree {
    static void grow(int depth) {
      work(milliseconds(1));
      if (depth == 0) return;
      auto left = spawn([depth] { grow(depth - 1); });
      grow(depth - 1);
      left.join();
    }
  };
  const auto r = profile_of(GetParam(), [] { tree::grow(9); });
  EXPECT_EQ(r.work, milliseconds(1023));
  EXPECT_EQ(r.span, milliseconds(10));
  EXPECT_EQ(r.burdened_span, milliseconds(10 + 2 * 9));
}

// A counter at the address of an earlier one, which another fiber had made long.
TEST_P(WorkSpan, OfTwoCountersAtOneAddress_AreKeptApart) {
  const auto r = profile_of(GetParam(), [] {
    alignas(counter) char place[sizeof(counter)];
    const auto wait_for_another = [&](milliseconds time) {
      auto* there = new (place) counter(1);
      spawn([there, time] {
        work(time);
        there->decrement();
      }).detach();
      wait_for_counter(*there);
      there->~counter();
    };
    std::atomic<bool> over{false};
    spawn([&] {
      wait_for_another(milliseconds(100));
      over = true;
    }).detach();
    while (!over) yield();  // a chain of its own: nothing that the profile sees leads from the other to this one
    wait_for_another(milliseconds(1));
    work(milliseconds(50));
  });
  EXPECT_EQ(r.span, milliseconds(100));
}

TEST(WorkSpanHooks, WhatIsDestroyed_LeavesNoChainAtItsAddress) {
  work_span profile(nullptr, burden, &own_time);
  int object = 0;
  profile.spawned(1, 0);
  profile.started(1, 0);
  work(milliseconds(9));
  profile.signalled(&object, 1);
  profile.finished(1, 0);
  profile.destroyed(&object);
  profile.spawned(2, 0);
  profile.started(2, 0);
  profile.received(&object, 2);
  work(milliseconds(2));
  profile.finished(2, 0);
  EXPECT_EQ(profile.result().span, milliseconds(9));
  EXPECT_EQ(profile.result().work, milliseconds(11));
}

TEST(WorkSpanHooks, Reset_ForgetsTheRun) {
  work_span profile(nullptr, burden, &own_time);
  runtime home(options{.workers = 2, .events = &profile});
  for (int i = 0; i < 3; ++i) {
    home.start();
    home.spawn([] { work(milliseconds(10)); }).join();
    home.stop();
    EXPECT_EQ(profile.result().work, milliseconds(10));
    EXPECT_EQ(profile.result().fibers, 1U);
    profile.reset();
    EXPECT_EQ(profile.result().fibers, 0U);
  }
}

// A detached fiber's result is destroyed when the fiber is no longer known.
TEST(WorkSpanHooks, HooksAfterTheEnd_AreNotCounted) {
  struct waits_at_its_end {
    waits_at_its_end() = default;
    waits_at_its_end(const waits_at_its_end&) = delete;
    waits_at_its_end& operator=(const waits_at_its_end&) = delete;
    ~waits_at_its_end() {
      work(milliseconds(5));
      yield();
    }
  };
  const auto r = profile_of(1, [] {
    spawn([] {
      work(milliseconds(1));
      return std::make_unique<waits_at_its_end>();
    }).detach();
    yield();
  });
  EXPECT_EQ(r.work, milliseconds(1));
  EXPECT_EQ(r.fibers, 2U);
}

TEST(WorkSpanReport, OfNothing_IsZero) {
  const work_span_result nothing;
  EXPECT_EQ(nothing.parallelism(), 0);
  EXPECT_EQ(nothing.allowed(8), 0);
  EXPECT_NE(to_text(nothing).find("0 fibers"), std::string::npos);
}

TEST(WorkSpanReport, NamesAreEscaped) { EXPECT_EQ(to_html({}, "<script>").find("<script>"), std::string::npos); }

std::string contents(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

struct temporary_folder {
  temporary_folder() {
    std::string name = (std::filesystem::temp_directory_path() / "ramie-profile-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
    path = name;
  }
  ~temporary_folder() { std::filesystem::remove_all(path); }
  std::filesystem::path path;
};

// The number in the name depends on how many runtimes of this process had a profile before.
TEST(ProfileOption, WritesTableAndPage) {
  const temporary_folder folder;
  testing::internal::CaptureStderr();
  run(options{.workers = 2, .profile = (folder.path / "out.html").string()}, [] {
    for (int i = 0; i < 10; ++i) spawn([] {}).join();
  });
  const std::string table = testing::internal::GetCapturedStderr();
  EXPECT_NE(table.find("11 fibers"), std::string::npos) << table;
  const std::string page = table.substr(table.find("plot: ") + 6, table.rfind('\n') - table.find("plot: ") - 6);
  EXPECT_NE(contents(page).find("<svg"), std::string::npos) << page;
  EXPECT_NE(contents(page).find("</html>"), std::string::npos);
}

TEST(ProfileOption, ThatCannotBeWritten_IsRefused) {
  EXPECT_THROW(run(options{.workers = 1, .profile = "/nowhere/at/all.html"}, [] {}), bad_option);
}

TEST(ProfileOption, OfTheEnvironment_ServesAProgramAsItIs) {
  const temporary_folder folder;
  ::setenv("RAMIE_PROFILE", (folder.path / "page.html").c_str(), 1);
  testing::internal::CaptureStderr();
  run(options{.workers = 1}, [] { spawn([] {}).join(); });
  ::setenv("RAMIE_PROFILE", "/nowhere/at/all.html", 1);
  run(options{.workers = 1}, [] {});
  ::unsetenv("RAMIE_PROFILE");
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("2 fibers"), std::string::npos) << text;
  EXPECT_NE(text.find("going on without it"), std::string::npos) << text;
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path), {}), 1);
}

}  // namespace
}  // namespace ramie
