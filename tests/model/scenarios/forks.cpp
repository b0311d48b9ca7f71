// The owner of a list of forks, who forks and joins, and thieves that take the oldest. A frame ends when it is joined:
// whoever still looks at it then is found out.
#include <model/scenarios/scenario.hpp>

#include <ramie/scheduler/fork_list.hpp>

#include <array>
#include <optional>

namespace ramie::model::of_forks {
namespace {

struct frame {
  explicit frame(frame* below) : older(below) {}

  provider::atomic<frame*> older;
  plain<int> content = 0;
  provider::atomic<bool> made{false};  // into a task, by whoever took it
  provider::atomic<bool> done{false};
};

struct play {
  detail::fork_list<frame, provider> list;
  std::array<std::optional<frame>, 3> stack;
  provider::atomic<int> ran{0};
  int forked = 0;

  void run(frame& of) {
    require(of.content == 7, "a fork runs before what was written to it was seen");
    of.content = 8;
    ran.fetch_add(1, std::memory_order_relaxed);
  }
  void run_elsewhere(frame& of) {
    run(of);
    of.done.store(true, std::memory_order_release);
  }

  // The owner. A task that it makes itself is run at once: by whom does not matter to the list.
  void answer() {
    detail::fork_list<frame, provider>::hold held(list);
    if (frame* const oldest = held.take_oldest()) run_elsewhere(*oldest);
  }
  void fork(std::size_t depth) {
    frame& fresh = stack[depth].emplace(list.newest());
    fresh.content = 7;
    ++forked;
    list.push(fresh);
    if (list.wanted()) answer();
  }
  void join(std::size_t depth) {
    frame& mine = *stack[depth];
    bool ours = list.pop(mine);
    if (!ours) ours = decltype(list)::hold(list).pop(mine);
    if (ours) {
      run(mine);
    } else {
      while (!mine.done.load(std::memory_order_acquire)) provider::pause();
    }
    stack[depth].reset();
  }

  // A thief.
  void steal() {
    if (!list.stealable()) return;
    if (frame* const oldest = list.steal_oldest([](frame& of) { of.made.store(true, std::memory_order_relaxed); }))
      run_elsewhere(*oldest);
  }
  void want() {
    if (list.stealable()) list.want();
  }

  // The owner is about to suspend.
  void give_away() {
    decltype(list)::hold held(list);
    held.take_all([this](frame& each) { run_elsewhere(each); });
  }

  void finish() { require(ran.load(std::memory_order_relaxed) == forked, "a fork did not run once"); }
};

// One worker that forks and those that fall asleep: whoever sleeps has seen all forks, or is seen by the next one.
struct with_sleepers {
  detail::fork_list<frame, provider> list;
  provider::atomic<unsigned> sleeping{0};  // stands for the sleep gate
  frame first{nullptr}, second{&first};
  std::array<plain<bool>, 2> sleeps{};
  plain<bool> noticed = false;

  void settle() {
    {
      const decltype(list)::hold held(list);
    }
    look_for_sleepers();
  }
  void look_for_sleepers() {
    provider::fence_seq_cst();
    if (sleeping.load(std::memory_order_relaxed) != 0) {
      noticed = true;
      list.want();
    }
  }
  void fork(frame& fresh) {
    list.push(fresh);
    if (list.wanted()) settle();
  }
  void fork() { fork(first); }
  // The oldest is taken meanwhile, so that there is nothing for a sleeper to see; the next one must see the sleeper.
  void fork_twice() {
    list.push(first);
    if (list.wanted()) {
      {
        decltype(list)::hold held(list);
        static_cast<void>(held.take_oldest());
      }
      look_for_sleepers();
    }
    fork(second);
  }
  void fall_asleep(unsigned who = 0) {
    sleeping.fetch_add(1, std::memory_order_relaxed);
    list.want_before_sleep();
    provider::fence_heavy();
    if (!list.stealable()) sleeps[who] = true;
  }
  void change_its_mind() {
    sleeping.fetch_add(1, std::memory_order_relaxed);
    list.want_before_sleep();
    provider::fence_heavy();
    sleeping.fetch_sub(1, std::memory_order_relaxed);
  }
  // A thief that is not about to sleep.
  void search() { list.want(); }
  void steal() {
    static_cast<void>(list.steal_oldest([](frame&) {}));
  }
  void finish() {
    require(!(sleeps[0] || sleeps[1]) || noticed || !list.stealable(), "somebody sleeps, and a fork does not see it");
  }
};

}  // namespace
}  // namespace ramie::model::of_forks

namespace ramie::model {

subject fork_list_subject() {
  using of_forks::play;
  const limits walks{.how = search::walks, .walks = 8'000};
  return {"scheduler/fork_list.hpp",
          {{"a fork and its join beside a thief",
            [] {
              play of;
              threads(
                  [&] {
                    of.fork(0);
                    of.join(0);
                  },
                  [&] { of.steal(); });
              of.finish();
            }},
           {"two forks, one in the other, beside a thief",
            [] {
              play of;
              of.fork(0);
              threads(
                  [&] {
                    of.fork(1);
                    of.join(1);
                    of.join(0);
                  },
                  [&] { of.steal(); });
              of.finish();
            }},
           {"a frame where another was, beside a thief",
            [] {
              play of;
              of.fork(0);
              threads(
                  [&] {
                    of.join(0);
                    of.fork(0);
                    of.join(0);
                  },
                  [&] { of.steal(); });
              of.finish();
            }},
           {"two thieves while the owner is deep in a leaf",
            [] {
              play of;
              of.fork(0);
              of.fork(1);
              threads([&] { of.steal(); }, [&] { of.steal(); });
              of.join(1);
              of.join(0);
              of.finish();
            }},
           {"forks that are given away beside a thief",
            [] {
              play of;
              of.fork(0);
              threads(
                  [&] {
                    of.fork(1);
                    of.give_away();
                    of.join(1);
                    of.join(0);
                  },
                  [&] { of.steal(); });
              of.finish();
            }},
           {"a fork beside a worker that falls asleep",
            [] {
              of_forks::with_sleepers of;
              threads([&] { of.fork(); }, [&] { of.fall_asleep(); });
              of.finish();
            }},
           {"a fork that somebody wants already, beside a worker that falls asleep",
            [] {
              of_forks::with_sleepers of;
              of.search();
              threads([&] { of.fork(); }, [&] { of.fall_asleep(); });
              of.finish();
            }},
           {"two forks, the first wanted already, beside a worker that falls asleep",
            [] {
              of_forks::with_sleepers of;
              of.search();
              threads([&] { of.fork_twice(); }, [&] { of.fall_asleep(); });
              of.finish();
            }},
           {"two forks, the first wanted already, beside two workers that fall asleep",
            [] {
              of_forks::with_sleepers of;
              of.search();
              threads([&] { of.fork_twice(); }, [&] { of.fall_asleep(0); }, [&] { of.fall_asleep(1); });
              of.finish();
            }},
           {"two forks beside a worker that falls asleep and one that changes its mind",
            [] {
              of_forks::with_sleepers of;
              threads([&] { of.fork_twice(); }, [&] { of.fall_asleep(); }, [&] { of.change_its_mind(); });
              of.finish();
            }},
           {"two forks beside a worker that falls asleep and one that searches",
            [] {
              of_forks::with_sleepers of;
              threads([&] { of.fork_twice(); }, [&] { of.fall_asleep(); }, [&] { of.search(); });
              of.finish();
            }},
           {"two forks beside a worker that falls asleep and a thief",
            [] {
              of_forks::with_sleepers of;
              threads([&] { of.fork_twice(); }, [&] { of.fall_asleep(); }, [&] { of.steal(); });
              of.finish();
            }},
           {"a fork after a settled request beside a worker that falls asleep",
            [] {
              of_forks::with_sleepers of;
              threads(
                  [&] {
                    of.settle();
                    of.fork();
                  },
                  [&] { of.fall_asleep(); });
              of.finish();
            }},
           {"a request that is settled beside a thief",
            [] {
              play of;
              of.fork(0);
              of.fork(1);
              of.want();
              threads(
                  [&] {
                    of.join(1);
                    of.join(0);
                  },
                  [&] { of.steal(); });
              of.finish();
            }},
           {"a thief that steals twice",
            [] {
              play of;
              of.fork(0);
              of.fork(1);
              threads(
                  [&] {
                    of.join(1);
                    of.join(0);
                  },
                  [&] {
                    of.steal();
                    of.steal();
                  });
              of.finish();
            }},
           {"two thieves",
            [] {
              play of;
              of.fork(0);
              of.fork(1);
              threads(
                  [&] {
                    of.join(1);
                    of.join(0);
                  },
                  [&] { of.steal(); }, [&] { of.steal(); });
              of.finish();
            },
            walks},
           {"one that only wants, and a thief",
            [] {
              play of;
              of.fork(0);
              threads(
                  [&] {
                    of.fork(1);
                    of.join(1);
                    of.join(0);
                  },
                  [&] { of.want(); }, [&] { of.steal(); });
              of.finish();
            },
            walks},
           {"forks and joins in turns beside two thieves",
            [] {
              play of;
              of.fork(0);
              threads(
                  [&] {
                    of.fork(1);
                    of.join(1);
                    of.fork(1);
                    of.fork(2);
                    of.join(2);
                    of.join(1);
                    of.join(0);
                  },
                  [&] {
                    of.steal();
                    of.steal();
                  },
                  [&] { of.steal(); });
              of.finish();
            },
            walks}}};
}

}  // namespace ramie::model
