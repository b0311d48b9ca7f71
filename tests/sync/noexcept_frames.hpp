// Functions that wait, in frames that no exception may leave, and in frames that one may. Compiled with full
// optimization, by every compiler that there is: each writes its tables in its own way.
#pragma once

namespace ramie::test {

/// Set by whoever calls: what is to wait, and may throw.
extern void (*wait_in_frame)();

/// A function of `frames` calls wait_in_frame() within a frame; `may_throw`: an exception may leave that.
struct frame_of_test {
  const char* name;
  void (*call)();
  bool may_throw;
};
struct frames_of_test {
  const frame_of_test* first;
  unsigned count;
};
frames_of_test frames_by_this_compiler();
#if RAMIE_TEST_CLANG_FRAMES
frames_of_test frames_by_clang();
#endif

}  // namespace ramie::test
