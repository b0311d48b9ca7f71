// The smallest program: fibers that return values.
#include <cstdio>
#include <ramie/ramie.hpp>

int main() {
  ramie::run([] {
    auto six = ramie::spawn([] { return 6; });
    auto seven = ramie::spawn([] { return 7; });
    std::printf("%d\n", six.join() * seven.join());
  });
}
