// Boost.Fiber on one thread, pooled stacks without guards: a guard each would end at vm.max_map_count / 2 fibers.
#include <boost/fiber/all.hpp>

#include "million/contenders.hpp"
#include "million/problem.hpp"

namespace bench::million {

std::vector<sample> run_boost_fiber(std::size_t count) {
  namespace fibers = boost::fibers;
  fibers::pooled_fixedsize_stack stacks(boost_stack_bytes);
  const auto wave = [&](wave_meter& meter, marks& all, std::uint32_t number) {
    fibers::mutex mutex;
    fibers::condition_variable opened;
    bool open = false;
    std::size_t arrived = 0;
    std::vector<fibers::fiber> team;
    team.reserve(count);
    for (std::size_t id = 0; id < count; ++id) {
      team.emplace_back(fibers::launch::dispatch, std::allocator_arg, stacks, [&, id] {
        ++arrived;
        std::unique_lock<fibers::mutex> lock(mutex);
        opened.wait(lock, [&] { return open; });
        all.set(id, number);
      });
    }
    while (arrived < count) boost::this_fiber::yield();
    meter.all_blocked();
    open = true;
    opened.notify_all();
    for (fibers::fiber& fiber : team) fiber.join();
    meter.finish();
  };
  return measure(count, wave, [](statistics&) {});
}

}  // namespace bench::million
