// A runtime beside threads that the program has anyway: they spawn into it and join like fibers do.
#include <cstdio>
#include <ramie/ramie.hpp>
#include <thread>

int main() {
  using namespace ramie::literals;
  ramie::runtime fibers({.workers = 2, .stack_size = 64_KiB});
  fibers.start();

  std::thread other([&] {
    auto answer = fibers.spawn({.name = "asked by a thread"}, [] { return ramie::this_fiber::name().size(); });
    std::printf("%zu letters\n", answer.join());  // blocks this thread, not a worker
  });
  other.join();

  ramie::counter done(0);
  fibers.spawn([&] { ramie::spawn_with_counter(done, {.stack_size = 1_MiB}, [] { ramie::yield(); }); }).join();
  ramie::wait_for_counter(done);

  fibers.stop();  // waits until no fiber is left
  std::uint64_t ended = 0;
  for (const ramie::worker_statistics& worker : fibers.statistics()) ended += worker.done;
  std::printf("%llu fibers ran\n", static_cast<unsigned long long>(ended));
}
