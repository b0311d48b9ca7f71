// One channel of questions, several workers, one channel of answers.
#include <cstdint>
#include <cstdio>
#include <ramie/ramie.hpp>
#include <utility>

namespace {
std::uint64_t steps_to_one(std::uint64_t number) {  // Collatz
  std::uint64_t steps = 0;
  for (; number != 1; ++steps) number = number % 2 == 0 ? number / 2 : 3 * number + 1;
  return steps;
}
}  // namespace

int main() {
  ramie::run([] {
    auto [ask, questions] = ramie::make_channel<std::uint64_t>(64);
    auto [answer, answers] = ramie::make_channel<std::uint64_t>(64);

    ramie::with_scope([&](ramie::scope& all) {
      for (int worker = 0; worker < 4; ++worker) {
        all.spawn([from = questions, to = answer] {
          for (const std::uint64_t number : from) static_cast<void>(to.send(steps_to_one(number)));
        });
      }
      all.spawn([to = std::move(ask)] {
        for (std::uint64_t number = 1; number <= 10'000; ++number) static_cast<void>(to.send(number));
      });
      auto last = std::move(answer);
      last = {};  // the workers' senders are the ones that are left: the last worker to end closes the answers

      std::uint64_t sum = 0;
      for (const std::uint64_t steps : answers) sum += steps;
      std::printf("%llu steps\n", static_cast<unsigned long long>(sum));
    });
  });
}
