#include <ramie/base/assert.hpp>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace ramie::detail {
namespace {

std::atomic<state_dump> g_state_dump{nullptr};

// write(2), not stdio: the failing thread may hold stdio's lock.
void put(std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

void set_state_dump(state_dump dump) noexcept {
  // release: whatever the dump reads was made before it was set; pairs with the acquire in fail().
  g_state_dump.store(dump, std::memory_order_release);
}

void fail(std::string_view what, std::string_view detail) noexcept {
  put("ramie: ");
  put(what);
  if (!detail.empty()) {
    put(" ");
    put(detail);
  }
  put("\n");
  // exchange, so that a failure inside the dump does not dump again.
  if (const state_dump dump = g_state_dump.exchange(nullptr, std::memory_order_acquire)) dump();
  std::abort();
}

void assertion_failed(const char* condition, const char* sentence, std::source_location where) noexcept {
  char text[512];
  const int length = std::snprintf(text, sizeof text, "%s (%s:%u: %s)", sentence, where.file_name(),
                                   static_cast<unsigned>(where.line()), condition);
  const auto size = length < 0 ? 0U : static_cast<std::size_t>(length);
  fail("invariant broken:", std::string_view(text, size < sizeof text ? size : sizeof text - 1));
}

}  // namespace ramie::detail
