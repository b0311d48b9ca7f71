// expect: join() or detach() it
#include <ramie/ramie.hpp>

void right() {
  ramie::spawn([] {}).detach();
}

#ifdef RAMIE_MISUSE
#pragma GCC diagnostic error "-Wunused-result"
void wrong() {
  ramie::spawn([] {});
}
#endif
