// expect: ramie's parallel algorithms divide a range at any place, so they take random-access iterators
#include <ramie/ramie.hpp>

#include <list>
#include <vector>

int right(const std::vector<int>& numbers) { return ramie::reduce(numbers); }

#ifdef RAMIE_MISUSE
int wrong(const std::list<int>& numbers) { return ramie::reduce(numbers); }
#endif
