// expect: ramie's parallel algorithms divide a range at any place, so they take random-access iterators
#include <ramie/ramie.hpp>

#include <list>
#include <vector>

void right(std::vector<int>& numbers) {
  ramie::for_each(numbers, [](int& x) { ++x; });
}

#ifdef RAMIE_MISUSE
void wrong(std::list<int>& numbers) {
  ramie::for_each(numbers.begin(), numbers.end(), [](int& x) { ++x; });
}
#endif
