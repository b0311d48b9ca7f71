#include <parallel/sort_inputs.hpp>

#include <ramie/ramie.hpp>

namespace ramie::test {

const std::vector<pattern>& patterns() {
  using size = std::size_t;
  static const std::vector<pattern> all{
      {"random", [](size, size, random_source& r) { return r.next(); }},
      {"sorted", [](size i, size, random_source&) { return i; }},
      {"reversed", [](size i, size n, random_source&) { return n - i; }},
      {"equal", [](size, size, random_source&) { return std::uint64_t{7}; }},
      {"two", [](size, size, random_source& r) { return r.next() % 2; }},
      {"few", [](size, size, random_source& r) { return std::uint64_t{r.below(16)}; }},
      {"few_far_apart", [](size, size, random_source& r) { return 0x123456789ABCDEFULL * (r.below(5) + 1); }},
      {"narrow", [](size, size n, random_source& r) { return r.next() % (n + 1); }},
      {"organ_pipe", [](size i, size n, random_source&) { return i < n / 2 ? i : n - i; }},
      {"runs", [](size i, size, random_source&) { return i % 1000; }},
      {"nearly_sorted", [](size i, size n, random_source& r) { return r.below(100) == 0 ? r.next() % n : i; }},
      {"sorted_but_last", [](size i, size n, random_source&) { return i + 1 == n ? 0 : i + 1; }},
      {"exponents", [](size, size, random_source& r) { return r.next() >> r.below(64); }},
      {"crowd", [](size, size, random_source& r) { return r.below(1000) == 0 ? r.next() : r.next() % 4096; }},
      {"one_outlier", [](size i, size n, random_source& r) { return i == n / 3 ? ~std::uint64_t{0} : r.below(3); }},
      {"nested_crowds",
       [](size, size, random_source& r) {
         // Half of what is left is a thousandth of its range, again and again.
         std::uint64_t range = ~std::uint64_t{0};
         while (range > 4096 && r.below(2) == 0) range /= 4096;
         return r.next() % range;
       }},
  };
  return all;
}

std::vector<std::uint64_t> random_bits(const pattern& how, std::size_t count, std::uint64_t seed) {
  random_source random(seed);
  std::vector<std::uint64_t> made(count);
  for (std::size_t i = 0; i < count; ++i) made[i] = how.at(i, count, random);
  return made;
}

void have_fibers_made() {
  std::vector<join_handle<void>> all;
  for (int i = 0; i < 200; ++i) all.push_back(spawn([] { yield(); }));
  for (auto& each : all) each.join();
}

const std::vector<std::size_t>& sizes() {
  static const std::vector<std::size_t> all =
      sanitized ? std::vector<std::size_t>{0, 1, 2, 3, 16, 24, 25, 127, 256, 1000, 4097, 16385, 70'001}
                : std::vector<std::size_t>{0,      1,      2,      3,      4,      15,     16,      17,     23,
                                           24,     25,     63,     64,     65,     127,    128,     129,    255,
                                           256,    257,    1000,   1023,   1025,   4095,   4097,    16'383, 16'384,
                                           16'385, 32'767, 32'769, 50'000, 65'535, 65'537, 131'073, 300'000};
  return all;
}

}  // namespace ramie::test
