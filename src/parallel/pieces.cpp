#include <ramie/base/cache_line.hpp>
#include <ramie/base/provider.hpp>
#include <ramie/parallel/first_error.hpp>
#include <ramie/parallel/fork_join.hpp>
#include <ramie/parallel/sort/pieces.hpp>

namespace ramie::detail::sorting {
namespace {

/// A counter decides which caller runs which piece; the caller takes part. Only an observer is to see equal shares: how
/// parallel a program is does not depend on which worker was quick.
class shared_pieces {
 public:
  shared_pieces(std::size_t count, std::size_t shares, function_ref<void(std::size_t, std::size_t)> piece)
      : m_piece(piece), m_count(count), m_shares(shares) {}

  // Neither is inlined: gcc would unroll the recursion into frames of 1.6 KiB.
  [[gnu::noinline]] void run(std::size_t first_helper, std::size_t helpers) noexcept {
    if (helpers < 2) return work(first_helper);
    const std::size_t half = helpers / 2;
    fork_join([&] { run(first_helper, half); }, [&] { run(first_helper + half, helpers - half); });
  }

 private:
  [[gnu::noinline]] void work(std::size_t helper) noexcept {
    if (m_shares != 0) [[unlikely]] {
      for (std::size_t i = helper; i < m_count; i += m_shares) m_piece(i, helper);
      return;
    }
    // Relaxed: it only gives out numbers; what the pieces have written is published by the joins.
    for (;;) {
      const std::size_t mine = m_next.fetch_add(1, std::memory_order_relaxed);
      if (mine >= m_count) return;
      m_piece(mine, helper);
    }
  }

  const function_ref<void(std::size_t, std::size_t)> m_piece;
  const std::size_t m_count;
  const std::size_t m_shares;  // 0: none
  alignas(cache_line_size) native_provider::atomic<std::size_t> m_next{0};
};

}  // namespace

unsigned workers_here() {
  const runtime& home = worker::current()->home();
  const unsigned presumed = home.events() != nullptr ? home.events()->divides_for() : 0;
  return presumed != 0 ? presumed : home.worker_count();
}

void call_both(function_ref<void()> f, function_ref<void()> g) { fork_join(f, g); }

void each_piece(std::size_t count, std::size_t helpers, function_ref<void(std::size_t, std::size_t)> piece) noexcept {
  const std::size_t useful = helpers < count ? helpers : count;
  const bool observed = worker::current()->home().events() != nullptr;
  shared_pieces(count, observed ? useful : 0, piece).run(0, useful);
}

bool all_of_pieces(std::size_t count, std::size_t helpers, function_ref<bool(std::size_t, std::size_t)> piece) {
  first_error thrown;
  // Relaxed: until the joins it only says whether another piece is worth beginning, and they publish its last value.
  native_provider::atomic<bool> all{true};
  each_piece(count, helpers, [&](std::size_t i, std::size_t helper) noexcept {
    if (!all.load(std::memory_order_relaxed)) return;
    bool yes = false;
    thrown.keep_what_throws([&] { yes = piece(i, helper); });
    if (!yes) all.store(false, std::memory_order_relaxed);
  });
  thrown.rethrow();
  return all.load(std::memory_order_relaxed);
}

void each_throwing_piece(std::size_t count, std::size_t helpers, function_ref<void(std::size_t)> piece) {
  static_cast<void>(all_of_pieces(count, helpers, [&](std::size_t i, std::size_t) {
    piece(i);
    return true;
  }));
}

}  // namespace ramie::detail::sorting
