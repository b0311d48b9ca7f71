// The owner of a list of forks, which forks and joins, and thieves that take the oldest. A frame ends when it is
// joined: a thread that still looks at it then is found out.
#include <model/scenarios/scenario.hpp>

#include <ramie/scheduler/fork_list.hpp>

#include "scheduler/fork_protocol.hpp"

#include <array>
#include <optional>

namespace ramie::model::of_forks {
namespace {

struct frame {
  explicit frame(frame* below) : older(below) {}

  provider::atomic<frame*> older;
  plain<int> content = 0;
  provider::atomic<bool> made{false};  // into a task, by its taker
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
    detail::fork_list<frame, provider>::owner_lock held(list);
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
    if (!ours) ours = decltype(list)::owner_lock(list).pop(mine);
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
    decltype(list)::owner_lock held(list);
    held.take_all([this](frame& each) { run_elsewhere(each); });
  }

  void finish() { require(ran.load(std::memory_order_relaxed) == forked, "a fork did not run once"); }
};

// One worker that forks and those that fall asleep: a sleeper has seen all forks, or is seen by the next one. All but
// the last are taken by busy workers at once, so that there is nothing of them for a sleeper to see.
struct with_sleepers {
  detail::fork_list<frame, provider> list;
  frame first{nullptr}, last{&first};
  std::array<plain<bool>, 2> sleeps = {plain<bool>(false), plain<bool>(false)};
  plain<bool> noticed = false;

  struct counting {  // stands for the sleep gate
    provider::atomic<unsigned> asleep{0};
    struct now {
      unsigned count;
      [[nodiscard]] unsigned sleeping() const { return count; }
    };
    [[nodiscard]] now counts() const { return {asleep.load(std::memory_order_relaxed)}; }
  } gate;
  struct holding {  // stands for the lane
    provider::atomic<bool> full{false};
    [[nodiscard]] bool stealable() const { return full.load(std::memory_order_relaxed); }
  } lane;

  void notify() {
    provider::fence_light();
    if (gate.counts().sleeping() != 0) noticed = true;
  }
  void offer(frame& taken) {
    if (&taken == &last) lane.full.store(true, std::memory_order_release);
    notify();
  }
  bool silent = false;  // a fault: where the lane seems full, nobody is told
  void answer() {
    const auto tell = [this] {
      if (!silent) notify();
    };
    static_cast<void>(detail::answer_requests(
        list, static_cast<frame*>(nullptr), lane, gate, true, [this](frame& oldest) { offer(oldest); }, tell));
  }
  void fork(frame& fresh) {
    list.push(fresh);
    if (list.wanted()) answer();
  }
  void fork_twice() {
    fork(first);
    noticed = false;  // whom that has woken is busy with it
    fork(last);
  }
  void fork_after_a_wait() {
    list.push(first);
    detail::give_forks_away(list, gate, true, [this](frame& each) { offer(each); });
    noticed = false;
    last.older.store(nullptr, std::memory_order_relaxed);
    fork(last);
  }
  void fork_the_last() {
    last.older.store(nullptr, std::memory_order_relaxed);
    fork(last);
  }
  void announce() {
    gate.asleep.fetch_add(1, std::memory_order_relaxed);
    list.want_before_sleep();
    provider::fence_heavy();
  }
  void fall_asleep(unsigned who = 0) {
    announce();
    if (!list.stealable() && !lane.stealable()) sleeps[who] = true;
  }
  void change_its_mind() {
    announce();
    gate.asleep.fetch_sub(1, std::memory_order_relaxed);
  }
  // One that is busy with what it takes.
  void take_what_was_offered() { lane.full.exchange(false, std::memory_order_acquire); }
  // A thief that is not about to sleep.
  void search() { list.want(); }
  void steal() {
    static_cast<void>(list.steal_oldest([](frame&) {}));
  }
  void finish() {
    const bool left = list.stealable() || lane.stealable();
    require(!(sleeps[0] || sleeps[1]) || noticed || !left, "somebody sleeps, and a fork does not see it");
  }
};

void fork_beside_one_that_takes_what_was_offered(bool silent) {
  with_sleepers of;
  of.silent = silent;
  of.lane.full.store(true, std::memory_order_relaxed);
  of.search();
  threads([&] { of.fork_the_last(); }, [&] { of.take_what_was_offered(); }, [&] { of.fall_asleep(); });
  of.finish();
}

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
              threads([&] { of.fork_the_last(); }, [&] { of.fall_asleep(); });
              of.finish();
            }},
           {"a fork that somebody wants already, beside a worker that falls asleep",
            [] {
              of_forks::with_sleepers of;
              of.search();
              threads([&] { of.fork_the_last(); }, [&] { of.fall_asleep(); });
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
           {"a fork after others were given away, beside a worker that falls asleep",
            [] {
              of_forks::with_sleepers of;
              threads([&] { of.fork_after_a_wait(); }, [&] { of.fall_asleep(); });
              of.finish();
            }},
           {"a fork while what was offered is taken, beside a worker that falls asleep",
            [] { of_forks::fork_beside_one_that_takes_what_was_offered(false); }},
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
           {"a fork after an answered request beside a worker that falls asleep",
            [] {
              of_forks::with_sleepers of;
              threads(
                  [&] {
                    of.answer();
                    of.fork_the_last();
                  },
                  [&] { of.fall_asleep(); });
              of.finish();
            }},
           {"a request that is answered beside a thief",
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

subject fork_protocol_subject() {
  subject all = fork_list_subject();
  all.header = "scheduler/fork_protocol.hpp";
  std::erase_if(all.scenarios, [](const scenario& each) { return each.name.find("asleep") == std::string::npos; });
  return all;
}

report fork_beside_a_full_lane_silently() {
  return explore("a fork while what was offered is taken, without a notice",
                 [] { of_forks::fork_beside_one_that_takes_what_was_offered(true); });
}

}  // namespace ramie::model
