// expect: ramie::spawn takes a function that can be called without arguments; capture them in a lambda
#include <ramie/ramie.hpp>

void work(int item);

void right() {
  ramie::spawn([] { work(1); }).detach();
}

#ifdef RAMIE_MISUSE
void wrong() { ramie::spawn(work).detach(); }
#endif
