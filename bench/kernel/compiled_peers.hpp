// The peers that are compiled into this program where CMake finds them.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>

#include "framework/plan_builder.hpp"

namespace bench {

/// Says of each of `peers`, by the names of their rows, that is not compiled in how to get it.
inline void tell_absent(plan_builder& into, std::initializer_list<std::string_view> peers) {
  const auto tell = [&](std::string_view name, const char* package) {
    if (std::find(peers.begin(), peers.end(), name) != peers.end()) into.absent(std::string(name), package);
  };
  static_cast<void>(tell);
#if !RAMIE_BENCH_TBB
  tell("tbb", "libtbb-dev");
#endif
#if !RAMIE_BENCH_OPENMP
#ifdef __clang__
  tell("openmp", "libomp-19-dev");
#else
  tell("openmp", "g++");
#endif
#endif
#if !RAMIE_BENCH_BOOST_FIBER
  tell("boost_fiber", "libboost-fiber-dev");
#endif
#if !RAMIE_BENCH_HIGHWAY
  tell("vqsort", "libhwy-dev");
#endif
}

}  // namespace bench
