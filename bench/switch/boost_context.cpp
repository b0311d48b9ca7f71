// Boost.Context: the bare jump, and boost::context::fiber around it.
#include <boost/context/detail/fcontext.hpp>
#include <boost/context/fiber.hpp>
#include <boost/context/fixedsize_stack.hpp>
#include <memory>

#include "switch/contenders.hpp"
#include "switch/problem.hpp"

namespace bench::switching {
namespace {

namespace detail = boost::context::detail;

void far_side(detail::transfer_t from) {
  auto* const seen = static_cast<std::uint64_t*>(from.data);
  for (;;) {
    ++*seen;
    from = detail::jump_fcontext(from.fctx, nullptr);
  }
}

}  // namespace

timed boost_jump_raw(std::uint64_t operations) {
  const auto stack = std::make_unique<char[]>(stack_bytes);
  std::uint64_t seen = 0;
  detail::fcontext_t there = detail::make_fcontext(stack.get() + stack_bytes, stack_bytes, &far_side);

  const std::uint64_t trips = (operations + 1) / 2;
  const stopwatch watch;
  for (std::uint64_t i = 0; i < trips; ++i) there = detail::jump_fcontext(there, &seen).fctx;
  return judged(watch.stop(trips * 2), seen * 2);
}

timed boost_fiber_raw(std::uint64_t operations) {
  std::uint64_t seen = 0;
  bool end = false;
  boost::context::fiber there(std::allocator_arg, boost::context::fixedsize_stack(stack_bytes),
                              [&](boost::context::fiber&& back) {
                                while (!end) {
                                  ++seen;
                                  back = std::move(back).resume();
                                }
                                return std::move(back);
                              });
  const std::uint64_t trips = (operations + 1) / 2;
  const stopwatch watch;
  for (std::uint64_t i = 0; i < trips; ++i) there = std::move(there).resume();
  timed result = judged(watch.stop(trips * 2), seen * 2);
  end = true;
  there = std::move(there).resume();
  return result;
}

}  // namespace bench::switching
