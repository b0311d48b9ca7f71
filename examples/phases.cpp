// WaitForCounter: a barrier between two phases, and a wait for the half of the work.
#include <array>
#include <cstdio>
#include <numeric>
#include <ramie/ramie.hpp>

int main() {
  ramie::run([] {
    constexpr std::size_t strips = 8;
    std::array<int, strips> first{};
    std::array<int, strips> second{};

    ramie::counter left(0);
    for (std::size_t i = 0; i < strips; ++i)
      ramie::spawn_with_counter(left, [&, i] { first[i] = static_cast<int>(i * i); });
    ramie::wait_for_counter(left, strips / 2);
    std::printf("at most half is left\n");
    ramie::wait_for_counter(left);

    // Everything that the first phase wrote is visible to the second.
    for (std::size_t i = 0; i < strips; ++i) {
      ramie::spawn_with_counter(left, [&, i] { second[i] = first[i] + first[(i + 1) % strips]; });
    }
    ramie::wait_for_counter(left);
    std::printf("%d\n", std::accumulate(second.begin(), second.end(), 0));
  });
}
