// expect: ramie: elements must convert to the type of the sum
#include <ramie/ramie.hpp>

#include <functional>
#include <string>
#include <vector>

struct sum {
  int of = 0;
};
sum operator+(sum left, int right) { return {left.of + right}; }
sum operator+(sum left, sum right) { return {left.of + right.of}; }

int right(const std::vector<int>& numbers) {
  return ramie::transform_reduce(numbers, sum{}, std::plus<>(), [](int x) { return sum{x}; }).of;
}

#ifdef RAMIE_MISUSE
int wrong(const std::vector<std::string>& texts) {
  return ramie::reduce(texts, sum{}, [](sum left, auto&) { return left; }).of;
}
#endif
