// The smallest useful program against the installed package. Built by both consumers.
#include <ramie/ramie.hpp>

#include <cstdio>

#if __cplusplus < 202002L
#error "the package did not ask for C++20"
#endif

int main() {
  const int answer = ramie::run([] { return ramie::spawn([] { return 42; }).join(); });
  std::printf("ramie %s: %d\n", EXPECTED_VERSION, answer);
  return answer == 42 ? 0 : 1;
}
