// expect: a comparison is called with two elements, const or not, as less(a, b), and says whether
#include <ramie/ramie.hpp>

#include <vector>

struct person {
  int age;
};

void right(std::vector<person>& all) {
  ramie::sort(all, [](const person& a, const person& b) { return a.age < b.age; });
}

#ifdef RAMIE_MISUSE
void wrong(std::vector<person>& all) {
  ramie::sort(all, [](const person& a) { return a.age; });
}
#endif
