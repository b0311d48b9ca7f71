// A runtime and algorithms whose functions have one type each, compiled once: for what an algorithm does, whatever type
// its function has. Cases about types call the algorithms themselves: each lambda of theirs is compiled with all that
// divides a range.
#pragma once

#include <support/tracked.hpp>

#include <ramie/base/function_ref.hpp>
#include <ramie/parallel/policy.hpp>
#include <ramie/scheduler/options.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace ramie::test {

using detail::function_ref;

/// run(chosen, f) for a function that returns nothing.
void in_runtime(const options& chosen, function_ref<void()> f);

void erased_for(const parallel_policy& how, int first, int last, function_ref<void(int)> f);
inline void erased_for(int first, int last, function_ref<void(int)> f) { erased_for({}, first, last, f); }

std::string erased_reduce(const parallel_policy& how, const std::vector<std::string>& values, std::string initial,
                          function_ref<std::string(std::string&&, const std::string&)> operation);
tracked erased_reduce(const parallel_policy& how, const std::vector<tracked>& values, tracked initial,
                      function_ref<tracked(const tracked&, const tracked&)> operation);

using erased_less = function_ref<bool(std::uint64_t, std::uint64_t)>;
void erased_sort(const parallel_policy& how, std::vector<std::uint64_t>& v, erased_less less);
void erased_stable_sort(const parallel_policy& how, std::vector<std::uint64_t>& v, erased_less less);

}  // namespace ramie::test
