// A loop, a reduction and a scan on all cores; and a search that ends when something is found.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <ramie/ramie.hpp>
#include <stop_token>
#include <vector>

int main() {
  ramie::run([] {
    std::vector<double> heights(1'000'000);
    const double width = 1.0 / static_cast<double>(heights.size());
    ramie::parallel_for(std::size_t{0}, heights.size(), [&](std::size_t i) {
      const double x = (static_cast<double>(i) + 0.5) * width;
      heights[i] = 4.0 / (1.0 + x * x);
    });
    // The same to the last bit, however many cores there are.
    std::printf("%.12f\n", width * ramie::reduce({.deterministic = true}, heights));

    std::vector<int> sizes{3, 1, 4, 1, 5};
    ramie::exclusive_scan(sizes.begin(), sizes.end(), sizes.begin(), 0);
    ramie::for_each(sizes, [](int& offset) { offset *= 10; });
    for (const int offset : sizes) std::printf("%d ", offset);
    std::printf("\n");

    constexpr int product = 1'022'117;
    std::stop_source found;
    std::atomic<int> divisor{0};
    try {
      ramie::parallel_for({.stop = found.get_token()}, 2, product, [&](int i) {
        if (product % i != 0) return;
        divisor = i;
        found.request_stop();  // no other piece begins
      });
    } catch (const ramie::stopped&) {
    }
    std::printf("%d = %d * %d\n", product, std::min(divisor.load(), product / divisor),
                std::max(divisor.load(), product / divisor));
  });
}
