// ramie in the suite `switch`.
#include <ramie/ramie.hpp>

#include "framework/options.hpp"
#include "library/run.hpp"
#include "switch/contenders.hpp"
#include "switch/problem.hpp"

namespace bench::switching {
timed ramie_yield(const options& o, unsigned workers, std::uint64_t operations) {
  return in_runtime(library_options(o, workers), [operations] {
    const std::uint64_t each = (operations + 1) / 2;
    const auto body = [each] {
      std::uint64_t seen = 0;
      for (std::uint64_t i = 0; i < each; ++i) {
        ramie::yield();
        ++seen;
      }
      return seen;
    };
    const stopwatch watch;
    auto first = ramie::spawn(body);
    auto second = ramie::spawn(body);
    const std::uint64_t seen = first.join() + second.join();
    return judged(watch.stop(each * 2), seen);
  });
}

timed ramie_counter_pingpong(const options& o, unsigned workers, std::uint64_t operations) {
  return in_runtime(library_options(o, workers), [operations] {
    const std::uint64_t trips = (operations + 1) / 2;
    // One means: not your turn. The waiter resets its own counter before it gives the turn back.
    ramie::counter ping(1);
    ramie::counter pong(1);
    const stopwatch watch;
    auto first = ramie::spawn([&] {
      std::uint64_t seen = 0;
      for (std::uint64_t i = 0; i < trips; ++i) {
        ping.decrement();
        ramie::wait_for_counter(pong, 0);
        pong.add(1);
        ++seen;
      }
      return seen;
    });
    auto second = ramie::spawn([&] {
      std::uint64_t seen = 0;
      for (std::uint64_t i = 0; i < trips; ++i) {
        ramie::wait_for_counter(ping, 0);
        ping.add(1);
        ++seen;
        pong.decrement();
      }
      return seen;
    });
    const std::uint64_t seen = first.join() + second.join();
    return judged(watch.stop(trips * 2), seen);
  });
}

timed ramie_spawn_join(const options& o, unsigned workers, std::uint64_t operations) {
  return in_runtime(library_options(o, workers), [operations] {
    std::uint64_t seen = 0;
    const stopwatch watch;
    for (std::uint64_t i = 0; i < operations; ++i) {
      seen += ramie::spawn([] {
                ramie::yield();
                return std::uint64_t{1};
              }).join();
    }
    return judged(watch.stop(operations), seen);
  });
}

}  // namespace bench::switching
