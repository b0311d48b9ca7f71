// The phases of a sort on several workers: so many pieces, all of which have to be done.
#pragma once

#include <ramie/base/cache_line.hpp>
#include <ramie/base/error.hpp>
#include <ramie/base/provider.hpp>
#include <ramie/parallel/fork_join.hpp>

#include <cstddef>
#include <exception>

namespace ramie::detail::sorting {

/// How many workers the calling fiber's runtime has.
[[nodiscard]] inline unsigned workers_here() { return worker::current()->home().worker_count(); }

/// Calls piece(i, helper) for each i below `count`, on up to `helpers` workers, in ascending order of their beginnings.
/// Returns when all have returned. Pieces that run at the same time have different `helper`s, all below `helpers`.
///
/// Every piece is called, also where a fork that was to help got no stack (spawn_error): who calls which piece is
/// decided by a counter, and the caller is one of those that count. piece must not throw.
template <class Piece>
class pieces {
 public:
  pieces(std::size_t count, const Piece& piece) : m_piece(piece), m_count(count) {}

  void run(std::size_t first_helper, std::size_t helpers) noexcept {
    if (helpers < 2) return work(first_helper);
    const std::size_t half = helpers / 2;
    try {
      fork_join([&] { run(first_helper, half); }, [&] { run(first_helper + half, helpers - half); });
    } catch (const spawn_error&) {
      work(first_helper);  // one helper less
    }
  }

 private:
  // Not inlined: what pieces need of the stack is needed once, not by each level of run().
  [[gnu::noinline]] void work(std::size_t helper) noexcept {
    // Relaxed: what the pieces have written is published by the joins.
    for (;;) {
      const std::size_t mine = m_next.fetch_add(1, std::memory_order_relaxed);
      if (mine >= m_count) return;
      m_piece(mine, helper);
    }
  }

  const Piece& m_piece;
  const std::size_t m_count;
  alignas(cache_line_size) native_provider::atomic<std::size_t> m_next{0};
};

template <class Piece>
void each_piece(std::size_t count, std::size_t helpers, const Piece& piece) noexcept {
  pieces<Piece>(count, piece).run(0, helpers < count ? helpers : count);
}

/// What pieces have thrown, of which one exception leaves.
class first_exception {
 public:
  /// In a handler. Any worker.
  void keep() noexcept {
    if (!m_kept.exchange(true, std::memory_order_relaxed)) m_thrown = std::current_exception();
  }
  [[nodiscard]] bool seen() const { return m_kept.load(std::memory_order_relaxed); }
  /// When all have returned.
  void rethrow() const {
    if (m_thrown) std::rethrow_exception(m_thrown);
  }

 private:
  native_provider::atomic<bool> m_kept{false};
  std::exception_ptr m_thrown;
};

/// The same for piece(i), which may throw. Then pieces that have not begun are left out, and one exception leaves.
template <class Piece>
void each_throwing_piece(std::size_t count, std::size_t helpers, const Piece& piece) {
  first_exception thrown;
  each_piece(count, helpers, [&](std::size_t i, std::size_t) noexcept {
    if (thrown.seen()) return;
    try {
      piece(i);
    } catch (...) {
      thrown.keep();
    }
  });
  thrown.rethrow();
}

}  // namespace ramie::detail::sorting
