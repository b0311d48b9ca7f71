#include <parallel/erased.hpp>

#include <ramie/parallel/for.hpp>
#include <ramie/parallel/reduce.hpp>
#include <ramie/parallel/sort.hpp>

#include <utility>

namespace ramie::test {

void in_runtime(const options& chosen, function_ref<void()> f) { run(chosen, f); }

void erased_for(const parallel_policy& how, int first, int last, function_ref<void(int)> f) {
  parallel_for(how, first, last, f);
}

std::string erased_reduce(const parallel_policy& how, const std::vector<std::string>& values, std::string initial,
                          function_ref<std::string(std::string&&, const std::string&)> operation) {
  return reduce(how, values, std::move(initial), operation);
}

tracked erased_reduce(const parallel_policy& how, const std::vector<tracked>& values, tracked initial,
                      function_ref<tracked(const tracked&, const tracked&)> operation) {
  return reduce(how, values, std::move(initial), operation);
}

void erased_sort(const parallel_policy& how, std::vector<std::uint64_t>& v, erased_less less) { sort(how, v, less); }

void erased_stable_sort(const parallel_policy& how, std::vector<std::uint64_t>& v, erased_less less) {
  stable_sort(how, v, less);
}

}  // namespace ramie::test
