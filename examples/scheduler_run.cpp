// The names of the published system: set up a scheduler, give it work, run it until there is none left.
#include <cstdio>
#include <ramie/ramie.hpp>

namespace {

int squares[16];

void parent() {
  ramie::counter children(0);
  for (int i = 0; i < 16; ++i) ramie::spawn_with_counter(children, [i] { squares[i] = i * i; });
  ramie::wait_for_counter(children, 0);
  int sum = 0;
  for (const int square : squares) sum += square;
  std::printf("%d\n", sum);
}

}  // namespace

int main() {
  ramie::scheduler_init(2);
  ramie::spawn(parent).detach();
  ramie::scheduler_run();
}
