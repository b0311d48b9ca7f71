// Whether the pieces of a parallel algorithm may still begin: not after a stop request, nor after an exception of an
// element.
#pragma once

#include <ramie/base/cache_line.hpp>
#include <ramie/base/provider.hpp>
#include <ramie/parallel/policy.hpp>

#include <cstdint>
#include <stop_token>

namespace ramie::detail {

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_stopped() {
  throw stopped("a parallel algorithm was asked to stop before it had done everything");
}

/// One for all pieces of one call, on the stack of the fiber that joins them all. Every piece reads it and next to
/// nobody writes it, so it keeps a cache line of its own.
class alignas(cache_line_size) permit {
 public:
  explicit permit(const std::stop_token& stop) : m_stop(stop) {}
  permit(const permit&) = delete;
  permit& operator=(const permit&) = delete;

  /// Asked before each piece; after a "no" the piece is left undone. Any worker; about 1 ns.
  [[nodiscard]] bool may_begin() noexcept {
    if (m_state.load(std::memory_order_relaxed) != state::given) return false;
    if (!m_stop.stop_requested()) [[likely]]
      return true;
    m_state.store(state::stopped, std::memory_order_relaxed);
    return false;
  }

  /// Whether nobody has been told no yet, nor has thrown. Of pieces that have been joined: whether all have run.
  [[nodiscard]] bool all_pieces_ran() const noexcept { return m_state.load(std::memory_order_relaxed) == state::given; }

  /// No other piece begins.
  void withdraw() noexcept { m_state.store(state::thrown, std::memory_order_relaxed); }

  /// Calls piece(); if that throws, no other piece begins.
  template <class Piece>
  [[gnu::always_inline]] decltype(auto) guard(Piece&& piece) {
    try {
      return piece();
    } catch (...) {
      withdraw();
      throw;
    }
  }

  /// When all pieces have returned and none has thrown.
  void conclude() const {
    if (m_state.load(std::memory_order_relaxed) == state::stopped) throw_stopped();
  }

 private:
  enum class state : std::uint8_t { given, stopped, thrown };

  const std::stop_token& m_stop;
  // Relaxed throughout: nothing is published by it, and conclude() comes after the joins. A piece that does not see a
  // change yet is a piece that had begun before.
  native_provider::atomic<state> m_state{state::given};
};

}  // namespace ramie::detail
