// expect: elements of a vector<bool> share words, which two workers would write at once
#include <ramie/ramie.hpp>

#include <vector>

void right(const std::vector<int>& numbers, std::vector<char>& odd) {
  ramie::transform(numbers, odd.begin(), [](int x) { return x % 2 != 0; });
}

#ifdef RAMIE_MISUSE
void wrong(const std::vector<int>& numbers, std::vector<bool>& odd) {
  ramie::transform(numbers, odd.begin(), [](int x) { return x % 2 != 0; });
}
#endif
