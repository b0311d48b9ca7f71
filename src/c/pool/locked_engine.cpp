// Which of the twenty locked pools the options mean.
#include <array>
#include <cstddef>
#include <utility>

#include "c/pool/locked_pool.hpp"

namespace ramie::pool {
namespace locked {
namespace {

constexpr std::size_t layouts = THREAD_POOL_FUTURE_FUTEX + 1;

constexpr std::size_t index_of(layout which, bool const_fields, bool unsigned_ids) {
  return static_cast<std::size_t>(which) * 4 + (const_fields ? 2 : 0) + (unsigned_ids ? 1 : 0);
}

template <std::size_t... Index>
constexpr std::array<const engine*, sizeof...(Index)> all_engines(std::index_sequence<Index...>) {
  return {&locked_pool < static_cast<layout>(Index / 4), Index / 2 % 2 != 0, Index % 2 != 0 > ::functions...};
}

constexpr auto engines = all_engines(std::make_index_sequence<layouts * 4>());

}  // namespace
}  // namespace locked

const engine& locked_engine(const thread_pool_options& chosen) {
  return *locked::engines[locked::index_of(static_cast<locked::layout>(chosen.future_layout), chosen.const_fields,
                                           chosen.unsigned_ids)];
}

}  // namespace ramie::pool
