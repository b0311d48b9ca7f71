// The phases of a sort on several workers. Compiled once, in the library: a sort has ten of them, and a fork of a
// template's own is 1 KiB of code.
#pragma once

#include <ramie/base/function_ref.hpp>
#include <ramie/parallel/policy.hpp>

#include <bit>
#include <cstddef>
#include <limits>

namespace ramie::detail::sorting {

/// policy.grain, or `otherwise` where it is 0: of a size with which one can calculate.
[[nodiscard]] inline std::size_t grain_of(const parallel_policy& policy, std::size_t otherwise) {
  constexpr std::size_t most = static_cast<std::size_t>(-1) / 16;
  if (policy.grain == 0) return otherwise;
  return policy.grain < most ? policy.grain : most;
}

/// `elements`, or as many as a range can have whose distances are of this type.
template <class Difference>
inline constexpr auto at_most = [](std::size_t elements) {
  constexpr auto most = static_cast<std::size_t>(std::numeric_limits<Difference>::max());
  return static_cast<Difference>(elements < most ? elements : most);
};

/// How deep forks may nest on one stack, 450 bytes each: a quarter deeper than in a balanced tree. A range that remains
/// then is sorted by one worker.
[[nodiscard]] inline unsigned forks_for(std::size_t count, std::size_t grain) {
  constexpr unsigned most = 24;
  const auto balanced = static_cast<unsigned>(std::bit_width(count / grain));
  const unsigned enough = balanced + balanced / 4 + 4;
  return enough < most ? enough : most;
}

/// How many workers the calling fiber's runtime has, or for how many its observer wants to see work divided.
[[nodiscard]] unsigned workers_here();

/// Calls f() and g(), which may run at the same time: both, whatever the other one throws.
void call_both(function_ref<void()> f, function_ref<void()> g);

/// Calls piece(i, helper) for each i below `count`, on up to `helpers` workers. No piece may wait for another one to
/// begin. Returns when all have returned. Pieces that run at the same time have different `helper`s, all below
/// `helpers`. piece must not throw.
void each_piece(std::size_t count, std::size_t helpers, function_ref<void(std::size_t, std::size_t)> piece) noexcept;

/// The same for pieces that may throw, and that say whether to go on. After a no, or an exception, pieces that have not
/// begun are left out; one exception leaves. Whether all have said yes.
[[nodiscard]] bool all_of_pieces(std::size_t count, std::size_t helpers,
                                 function_ref<bool(std::size_t, std::size_t)> piece);

/// The same for piece(i) that says nothing.
void each_throwing_piece(std::size_t count, std::size_t helpers, function_ref<void(std::size_t)> piece);

}  // namespace ramie::detail::sorting
