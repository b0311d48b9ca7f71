// 100,000 fibers that all wait at the same time, on a stack of their own each, with plain blocking code.
#include <atomic>
#include <cstdio>
#include <ramie/ramie.hpp>

int main() {
  constexpr int fibers = 100'000;
  ramie::run([] {
    ramie::counter arrived(fibers);
    ramie::counter gate(1);
    ramie::counter running(0);
    std::atomic<long> sum{0};
    for (int i = 1; i <= fibers; ++i) {
      ramie::spawn_with_counter(running, [&, i] {
        arrived.decrement();
        ramie::wait_for_counter(gate);  // holds a stack, but no worker
        sum += i;
      });
    }
    ramie::wait_for_counter(arrived);
    std::printf("%d fibers wait\n", fibers);
    gate.decrement();
    ramie::wait_for_counter(running);
    std::printf("their sum is %ld\n", sum.load());
  });
}
