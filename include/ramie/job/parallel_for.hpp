// A function over the pieces of a span, a job a piece.
//
//     ramie::job::handle all = ramie::job::parallel_for(std::span(particles), [](std::span<particle> some) {
//       for (particle& each : some) update(each);
//     }, ramie::job::count_splitter(1024));
//     ramie::job::run(all);
//     ramie::job::wait(all);
//
// It stands for job systems; ramie::parallel_for (parallel/for.hpp) divides by demand instead and needs no splitter.
#pragma once

#include <ramie/job/job.hpp>
#include <ramie/job/splitter.hpp>

#include <concepts>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

namespace ramie::job {

namespace detail {

/// Lives in the root job until all pieces are done.
template <class T, class Function, class Splitter>
struct loop {
  std::span<T> all;
  Function function;
  Splitter split;

  // Gives right halves away and keeps the left ones, so the pieces that thieves find first are the largest.
  void run(context& here, T* first, std::size_t count) {
    while (count > 1 && split.template splits<T>(count)) {
      const std::size_t left = count / 2;
      here.run_child([this, right = first + left, rest = count - left](context& there) { run(there, right, rest); });
      count = left;
    }
    function(std::span<T>(first, count));
  }

  void operator()(context& here) {
    if (!all.empty()) run(here, all.data(), all.size());
  }
};

}  // namespace detail

/// A job that calls function(piece) for pieces that make up the span, each element in one of them, perhaps at the same
/// time and in any order; an empty span has none. To be run and waited for, or made a parent, like any other: it is
/// done when the function has returned for all. An exception of the function leaves wait(); the other pieces run all
/// the same. Throws as create(). The span's elements must stay where they are.
template <class T, class Function, splitter Splitter = data_size_splitter>
  requires std::invocable<std::decay_t<Function>&, std::span<T>>
[[nodiscard]] handle parallel_for(std::span<T> items, Function&& function,
                                  Splitter split = data_size_splitter(32U << 10U)) {
  return create(detail::loop<T, std::decay_t<Function>, Splitter>{items, std::forward<Function>(function), split});
}

/// The same as a child of `parent`; see create_child().
template <class T, class Function, splitter Splitter = data_size_splitter>
  requires std::invocable<std::decay_t<Function>&, std::span<T>>
[[nodiscard]] handle parallel_for(reference parent, std::span<T> items, Function&& function,
                                  Splitter split = data_size_splitter(32U << 10U)) {
  return create_child(
      parent, detail::loop<T, std::decay_t<Function>, Splitter>{items, std::forward<Function>(function), split});
}

}  // namespace ramie::job
