// expect: ramie sorts elements in place: iterators to proxies (vector<bool>, zipped ranges) or to const elements
#include <ramie/ramie.hpp>

#include <vector>

void right(std::vector<char>& flags) { ramie::sort(flags); }

#ifdef RAMIE_MISUSE
void wrong(std::vector<bool>& flags) { ramie::sort(flags); }
#endif
