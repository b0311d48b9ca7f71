// A frame of a game: particles move in jobs, and when all have moved a continuation sums them up.
#include <ramie/job/parallel_for.hpp>
#include <ramie/ramie.hpp>

#include <cstdio>
#include <numeric>
#include <span>
#include <vector>

struct particle {
  long place = 0;
  long speed = 0;
};

int main() {
  ramie::run([] {
    std::vector<particle> particles(10'000);
    for (std::size_t i = 0; i < particles.size(); ++i) particles[i].speed = static_cast<long>(i % 7);

    const auto move = [](std::span<particle> some) {
      for (particle& each : some) each.place += each.speed;
    };
    long sum = 0;
    for (int frame = 0; frame < 60; ++frame) {
      ramie::job::handle all = ramie::job::parallel_for(std::span(particles), move, ramie::job::count_splitter(256));
      ramie::job::handle summed = ramie::job::create([&] {
        sum = std::accumulate(particles.begin(), particles.end(), 0L,
                              [](long so_far, const particle& each) { return so_far + each.place; });
      });
      ramie::job::add_continuation(all, summed);
      ramie::job::run(std::move(all));
      ramie::job::wait(summed);
    }
    std::printf("after 60 frames: %ld\n", sum);
  });
}
