// The runtimes of the suite `switch`. Each function does `operations` operations (an even number is fairest) once.
#pragma once

#include <cstdint>

#include "framework/calibrate.hpp"

namespace bench {
struct options;
}

namespace bench::switching {

timed control_call(
    std::uint64_t operations);  ///< a function call through a pointer that the compiler cannot see through

timed ramie_raw(std::uint64_t operations);
timed ramie_yield(const options& o, unsigned workers, std::uint64_t operations);
timed ramie_counter_pingpong(const options& o, unsigned workers, std::uint64_t operations);
timed ramie_spawn_join(const options& o, unsigned workers, std::uint64_t operations);

timed ucontext_raw(std::uint64_t operations);

timed std_thread_spawn_join(std::uint64_t operations);
/// Two threads, pinned: to one cpu, or to two.
timed futex_pingpong(bool two_cores, std::uint64_t operations);
timed condvar_pingpong(bool two_cores, std::uint64_t operations);

#if RAMIE_BENCH_BOOST_CONTEXT
timed boost_jump_raw(std::uint64_t operations);   ///< boost::context::detail::jump_fcontext
timed boost_fiber_raw(std::uint64_t operations);  ///< boost::context::fiber
#endif
#if RAMIE_BENCH_BOOST_FIBER
timed boost_fiber_yield(std::uint64_t operations);
timed boost_fiber_pingpong(std::uint64_t operations);
timed boost_fiber_spawn_join(std::uint64_t operations);
#endif

}  // namespace bench::switching
