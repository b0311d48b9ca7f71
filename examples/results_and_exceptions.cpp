// A fiber's result, or its exception, leaves through join().
#include <cstdio>
#include <memory>
#include <ramie/ramie.hpp>
#include <stdexcept>
#include <string>

int main() {
  ramie::run([] {
    auto text = ramie::spawn([] { return std::string("a result of any type"); });
    auto unique = ramie::spawn([] { return std::make_unique<int>(5); });
    auto failing = ramie::spawn({.name = "parser"}, []() -> int { throw std::runtime_error("line 3: no such thing"); });

    std::printf("%s, even %d by unique_ptr\n", text.join().c_str(), *unique.join());
    try {
      failing.join();
    } catch (const std::exception& error) {
      // A fiber may wait inside a catch block: the exception stays its own.
      ramie::yield();
      std::printf("caught: %s\n", error.what());
    }
  });
}
