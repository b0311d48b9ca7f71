// Workers that are never idle: they see in bounded time what completes on the driver of one in a long task, and leave
// those alone that poll.
#include <model/scenarios/ring_worker.hpp>

#include <support/repetitions.hpp>

#include <array>

namespace ramie::model {
namespace {

const limits large{.how = search::walks, .walks = test::sanitized ? 1'000 : test::repetitions(20'000)};

// Polls until each other worker has been looked at in two rounds: in the first one its count of polls may have been
// older than the look.
unsigned enough(unsigned workers) { return 2 * (2 * (workers - 1) + 1); }

void polls_enough(rings& at, unsigned worker) {
  at[worker].hold();
  for (unsigned i = 0; i < enough(at[worker].peers()); ++i) at[worker].poll_while_busy();
}

}  // namespace

std::vector<driver_scenario> busy_looks() {
  return {{"a completion of a worker in a long task beside one that polls",
           [](without fault) {
             rings at(2, fault);
             job done;
             threads([&] { at.complete(0, done); },
                     [&] {
                       at[1].hold();
                       for (int i = 0; i < 3; ++i) at[1].poll_while_busy();
                     });
             polls_enough(at, 1);
             require(done.ran == 1, "a completion was left, though a busy worker has polled");
           }},
          {"a completion beside the last poll of its worker, and one that polls",
           [](without fault) {
             rings at(2, fault);
             job done;
             threads([&] { at.complete(0, done); },
                     [&] {
                       at[0].hold();
                       if (at[0].side.has_completions()) at[0].poll_own();
                     },
                     [&] {
                       at[1].hold();
                       for (int i = 0; i < 2; ++i) at[1].poll_while_busy();
                     });
             polls_enough(at, 1);
             require(done.ran == 1, "a completion was left, though a busy worker has polled");
           }},
          // Worker 0 is in a long task. Worker 2 has something at each look, and polls between any two.
          {"completions of a worker that polls hide not those of one in a long task, and stay there",
           [](without fault) {
             rings at(3, fault);
             std::array<job, 16> of_second;
             job of_first;
             std::size_t completed = 0;
             const auto look = [&] {
               at.complete(2, of_second.at(completed));
               at[1].hold();
               at[1].poll_while_busy();
               require(of_second.at(completed).ran == 0, "a completion was taken from a worker that polls");
               at[2].hold();
               at[2].poll_own();
               ++completed;
             };
             for (unsigned before = choose(5); before != 0; --before) look();
             at.complete(0, of_first);
             for (unsigned i = 0; i < enough(3); ++i) look();
             require(of_first.ran == 1, "a completion was left, though a busy worker has polled");
           }},
          {"completions of its own hide not those of a worker in a long task",
           [](without fault) {
             rings at(2, fault);
             std::array<job, 16> own;
             job of_first;
             std::size_t completed = 0;
             const auto poll = [&] {
               at.complete(1, own.at(completed++));
               at[1].hold();
               at[1].poll_while_busy();
             };
             for (unsigned before = choose(5); before != 0; --before) poll();
             at.complete(0, of_first);
             for (unsigned i = 0; i < enough(2); ++i) poll();
             require(of_first.ran == 1, "a completion was left, though a busy worker has polled");
           }},
          {"two completions beside their worker and two that poll",
           [](without fault) {
             rings at(3, fault);
             job first, second;
             threads([&] { at.complete(0, first, &second); },
                     [&] {
                       at[0].hold();
                       if (at[0].side.has_completions()) at[0].poll_own();
                     },
                     [&] {
                       at[1].hold();
                       for (int i = 0; i < 4; ++i) at[1].poll_while_busy();
                     },
                     [&] {
                       at[2].hold();
                       for (int i = 0; i < 4; ++i) at[2].poll_while_busy();
                     });
             polls_enough(at, 1);
             require(first.ran == 1 && second.ran == 1, "a completion was left, though busy workers have polled");
           },
           large}};
}

}  // namespace ramie::model
