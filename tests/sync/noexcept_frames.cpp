#include "noexcept_frames.hpp"

#include <exception>
#include <string>
#include <vector>

#ifndef RAMIE_TEST_FRAMES
#define RAMIE_TEST_FRAMES frames_by_this_compiler
#endif

namespace ramie::test {
namespace {

volatile int g_sink = 0;

[[gnu::noinline]] void touch(const std::string& text) { g_sink = g_sink + static_cast<int>(text.size()); }
struct touching {
  int value = 3;
  [[gnu::noinline]] ~touching() { g_sink = g_sink + value; }
};
struct touching_inline {
  int value = 3;
  ~touching_inline() { g_sink = g_sink + value; }
};
struct wrong {};

// ---- An exception may leave ----

[[gnu::noinline]] void plain() {
  wait_in_frame();
  g_sink = g_sink + 1;
}
[[gnu::noinline]] void with_cleanup() {
  const touching here;
  const std::string text(static_cast<std::size_t>(g_sink % 3) + 40, 'x');
  wait_in_frame();
  touch(text);
}
[[gnu::noinline]] void with_inlined_cleanup() {
  std::vector<std::string> texts(3, "something that is too long to lie in the string itself");
  const touching_inline here;
  wait_in_frame();
  touch(texts.back());
}
[[gnu::noinline]] void with_other_handler() {
  const touching here;
  try {
    const touching there;
    wait_in_frame();
  } catch (const wrong&) {
    g_sink = g_sink + 1;
  }
}
[[gnu::noinline]] void caught_and_thrown_again() {
  try {
    wait_in_frame();
  } catch (...) {
    g_sink = g_sink + 1;
    throw;
  }
}
// A cleanup that may call std::terminate() itself, as that of std::thread does.
struct must_be_two {
  int value = 2;
  ~must_be_two() {
    if (value != 2) std::terminate();
  }
};
[[gnu::noinline]] void with_stern_cleanup() {
  must_be_two here;
  wait_in_frame();
  here.value = 2 + (g_sink < 0 ? 1 : 0);
}
struct leaves_by_exception {
  ~leaves_by_exception() noexcept(false) { wait_in_frame(); }
};
[[gnu::noinline]] void in_throwing_destructor() {
  const leaves_by_exception here;
  g_sink = g_sink + 1;
}

// ---- No exception may leave ----

[[gnu::noinline]] void in_noexcept() noexcept {
  wait_in_frame();
  g_sink = g_sink + 1;
}
[[gnu::noinline]] void in_noexcept_with_cleanup() noexcept {
  const touching here;
  const std::string text(static_cast<std::size_t>(g_sink % 3) + 40, 'x');
  wait_in_frame();
  touch(text);
}
[[gnu::noinline]] void in_noexcept_with_inlined_cleanup() noexcept {
  const touching_inline here;
  std::vector<std::string> texts(3, "something that is too long to lie in the string itself");
  wait_in_frame();
  touch(texts.back());
}
[[gnu::noinline]] void in_noexcept_with_handler() noexcept {
  try {
    const touching here;
    wait_in_frame();
  } catch (const wrong&) {
    g_sink = g_sink + 1;
  }
}
struct waits_at_end {
  [[gnu::noinline]] ~waits_at_end() {
    wait_in_frame();
    g_sink = g_sink + 1;
  }
};
[[gnu::noinline]] void in_destructor() {
  const waits_at_end here;
  g_sink = g_sink + 1;
}
struct waits_at_end_inline {
  int value = 3;
  [[gnu::always_inline]] ~waits_at_end_inline() {
    wait_in_frame();
    g_sink = g_sink + value;
  }
};
[[gnu::noinline]] void in_inlined_destructor() {
  const waits_at_end_inline here;
  g_sink = g_sink + 1;
}
[[gnu::noinline]] void in_inlined_destructor_after_others() {
  const std::string text(static_cast<std::size_t>(g_sink % 3) + 40, 'x');
  const waits_at_end_inline here;
  const touching there;
  touch(text);
}
struct cleans_and_waits {
  std::string text = "something that is too long to lie in the string itself";
  [[gnu::always_inline]] ~cleans_and_waits() {
    const touching here;
    std::vector<std::string> more(2, text);
    wait_in_frame();
    touch(more.back());
  }
};
[[gnu::noinline]] void in_inlined_destructor_with_cleanup() {
  const touching before;
  const cleans_and_waits here;
  touch(here.text);
}
[[gnu::noinline]] void far_below_noexcept() noexcept {
  const touching here;
  with_cleanup();
  with_other_handler();
}
[[gnu::noinline]] void in_noexcept_with_stern_cleanup() noexcept {
  must_be_two here;
  wait_in_frame();
  here.value = 2 + (g_sink < 0 ? 1 : 0);
}

constexpr frame_of_test all[] = {
    {"plain", &plain, true},
    {"with_cleanup", &with_cleanup, true},
    {"with_inlined_cleanup", &with_inlined_cleanup, true},
    {"with_other_handler", &with_other_handler, true},
    {"caught_and_thrown_again", &caught_and_thrown_again, true},
    {"with_stern_cleanup", &with_stern_cleanup, true},
    {"in_throwing_destructor", &in_throwing_destructor, true},
    {"in_noexcept", &in_noexcept, false},
    {"in_noexcept_with_cleanup", &in_noexcept_with_cleanup, false},
    {"in_noexcept_with_inlined_cleanup", &in_noexcept_with_inlined_cleanup, false},
    {"in_noexcept_with_handler", &in_noexcept_with_handler, false},
    {"in_destructor", &in_destructor, false},
    {"in_inlined_destructor", &in_inlined_destructor, false},
    {"in_inlined_destructor_after_others", &in_inlined_destructor_after_others, false},
    {"in_inlined_destructor_with_cleanup", &in_inlined_destructor_with_cleanup, false},
    {"far_below_noexcept", &far_below_noexcept, false},
    {"in_noexcept_with_stern_cleanup", &in_noexcept_with_stern_cleanup, false},
};

}  // namespace

frames_of_test RAMIE_TEST_FRAMES() { return {all, sizeof(all) / sizeof(all[0])}; }

}  // namespace ramie::test
