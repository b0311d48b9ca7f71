// The runtimes of the suite `million` that are compiled in. Each runs both waves once.
#pragma once

#include <cstddef>
#include <vector>

#include "framework/contender.hpp"

namespace bench {
struct options;
}

namespace bench::million {

/// How many stacks of the problem's size can have a guard at once: before Linux 6.13 a guard costs two mappings, and
/// vm.max_map_count limits those.
std::size_t most_guarded_fibers();

std::vector<sample> run_ramie(const options& o, unsigned workers, std::size_t count);
/// The same pages, touched by plain threads that split them statically: no stack, no queue, no switch.
std::vector<sample> run_control(unsigned threads, std::size_t count);
#if RAMIE_BENCH_BOOST_FIBER
std::vector<sample> run_boost_fiber(std::size_t count);
#endif

}  // namespace bench::million
