// The run loop with workers that are none: first a script, step by step, then a small scheduler of the same parts.
#include <ramie/scheduler/run_loop.hpp>

#include <support/narrow_provider.hpp>
#include <support/repetitions.hpp>
#include <support/watchdog.hpp>

#include <ramie/queue/chase_lev.hpp>
#include <ramie/queue/fifo_lane.hpp>
#include <ramie/queue/injector.hpp>
#include <ramie/scheduler/idle_driver.hpp>
#include <ramie/scheduler/start_signal.hpp>
#include <ramie/scheduler/statistics.hpp>
#include <ramie/scheduler/termination.hpp>

#include "scheduler/batches.hpp"
#include "scheduler/foreign_callers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <ranges>
#include <string>
#include <thread>
#include <vector>

namespace ramie {
namespace {

using test::narrow_provider;

struct one_round {
  void begin() {}
  bool another_round() { return false; }
};

// Says what it is told to, and writes down what it was asked.
class scripted_worker {
 public:
  using item_type = int;
  explicit scripted_worker(unsigned others_asleep) : m_gate(1 + others_asleep) {
    for (unsigned other = 1; other <= others_asleep; ++other) m_gate.announce_sleep(other, false);
  }

  int* next_local() { return say("local", local); }
  int* steal_round() { return say("steal", stolen); }
  int* next_injected() { return say("injected", injected); }
  void look_everywhere() { asked += "everywhere; "; }
  bool should_nap() const { return naps; }
  bool nap() {
    asked += "nap; ";
    return nap_brings;
  }
  void before_sleep() { asked += "before sleep; "; }
  void after_sleep() { asked += "after sleep; "; }
  bool execute(int& item) { return asked += "run " + std::to_string(item) + "; ", true; }
  unsigned index() const { return 0; }
  detail::sleep_gate<narrow_provider>& gate() { return m_gate; }
  void notify_of_injector() { asked += "notify; "; }
  bool sees_work() {
    asked += "look; ";
    return work_is_seen;
  }
  void finish_if_drained() {}
  bool finished() const { return m_over; }
  void park() {
    asked += "park; ";
    if (on_park) on_park();
    m_over = true;
  }
  one_round pace() { return {}; }
  void search_succeeded() {}

  void run() { detail::run_loop(*this).run(); }

  std::vector<int> local, stolen, injected;  // the last is found first; 0: nothing
  bool work_is_seen = false;
  bool naps = false, nap_brings = false;
  std::function<void()> on_park;
  std::string asked;

 private:
  int* say(const char* what, std::vector<int>& answers) {
    asked += what;
    asked += "; ";
    if (answers.empty()) return nullptr;
    m_said = answers.back();
    answers.pop_back();
    return m_said != 0 ? &m_said : nullptr;
  }
  detail::sleep_gate<narrow_provider> m_gate;
  int m_said = 0;
  bool m_over = false;
};

TEST(RunLoop, TakesItsOwn_ThenLooksAround_ThenSleeps) {
  scripted_worker worker(0);
  worker.local = {2, 1};
  worker.run();
  EXPECT_EQ(
      worker.asked,
      "local; run 1; local; run 2; local; steal; steal; injected; everywhere; before sleep; look; park; after sleep; ");
  EXPECT_EQ(worker.gate().counts().searching(), 0U);
  EXPECT_EQ(worker.gate().counts().sleeping(), 0U);
}

TEST(RunLoop, TheFirstRoundOfStealing_IsNotCountedAsASearch) {
  scripted_worker worker(1);
  worker.stolen = {1};
  detail::run_loop loop(worker);
  EXPECT_EQ(*loop.next(), 1);
  EXPECT_EQ(worker.asked, "local; steal; ");  // and no look at the others' queues when it has found something
}

TEST(RunLoop, ANap_IsNoSearchAndNoSleep) {
  for (const bool brings : {false, true}) {
    scripted_worker worker(1);
    worker.naps = true;
    worker.nap_brings = brings;
    if (brings) worker.local = {1, 0};
    detail::run_loop loop(worker);
    EXPECT_EQ(loop.next() != nullptr, brings);
    // The look is that of the last searcher: others sleep.
    EXPECT_EQ(worker.asked, std::string("local; steal; steal; injected; everywhere; look; nap; ") +
                                (brings ? "local; " : "before sleep; look; park; after sleep; "));
    EXPECT_EQ(worker.gate().counts().sleeping(), 1U);
  }
}

TEST(RunLoop, TheLastSearcherThatFindsWork_LooksOnce_AndWakesAnotherIfThereIsMore) {
  for (const bool more : {false, true}) {
    scripted_worker worker(1);
    worker.injected = {1};
    worker.work_is_seen = more;
    detail::run_loop loop(worker);
    EXPECT_EQ(*loop.next(), 1);
    EXPECT_EQ(worker.asked, std::string("local; steal; steal; injected; look; ") + (more ? "notify; " : ""));
    EXPECT_EQ(worker.gate().counts().searching(), 0U);
  }
}

TEST(RunLoop, WorkThatIsSeenAfterTheAnnouncement_IsNotSleptOver) {
  scripted_worker worker(0);
  worker.work_is_seen = true;
  worker.local = {7, 0};  // nothing at the first look, 7 at the second
  detail::run_loop loop(worker);
  EXPECT_EQ(*loop.next(), 7);
  // The last look is that of a searcher that found something; nobody else sleeps, so there is none.
  EXPECT_EQ(worker.asked, "local; steal; steal; injected; everywhere; before sleep; look; after sleep; local; ");
  EXPECT_EQ(worker.gate().counts().searching(), 0U);
}

TEST(RunLoop, AWorkerThatIsChosenWhileItSleeps_ComesBackAsASearcher) {
  scripted_worker worker(0);
  detail::idle_counts while_asleep;
  worker.on_park = [&] {
    while_asleep = worker.gate().counts();
    EXPECT_TRUE(worker.gate().notify([](unsigned chosen) { EXPECT_EQ(chosen, 0U); }));
    EXPECT_EQ(worker.gate().counts().searching(), 1U);
  };
  worker.run();
  EXPECT_EQ(while_asleep.sleeping(), 1U);
  EXPECT_EQ(while_asleep.searching(), 0U);
  EXPECT_EQ(worker.gate().counts().searching(), 0U);  // the run is over, and it does not search any more
}

// ---- A small scheduler ----

struct node {
  node* next = nullptr;
  unsigned depth = 0;  // how many generations come from it, two children each
};

class small_scheduler;

class small_worker {
 public:
  using item_type = node;
  small_worker(small_scheduler& home, unsigned index) : m_home(home), m_index(index) {}

  node* next_local() {
    if (const auto item = lane.pop_bottom()) return *item;
    if (const auto item = deque.pop_bottom()) return *item;
    return next_injected();
  }
  node* next_injected();
  node* steal_round();
  bool should_nap() { return false; }
  bool nap() { return false; }
  void before_sleep() {}
  void after_sleep() {}
  void look_everywhere() {}
  bool execute(node& item);
  unsigned index() const { return m_index; }
  detail::sleep_gate<narrow_provider>& gate();
  void notify_of_injector();
  bool sees_work();
  void finish_if_drained();
  bool finished() const;
  void park() { driver.wait(std::nullopt); }
  one_round pace() { return {}; }
  void search_succeeded() {}

  struct totals {
    detail::basic_owned_count<narrow_provider> spawned, done;
  } counts;
  queue::chase_lev<node*, narrow_provider> deque{2};
  queue::fifo_lane<node*, 64, narrow_provider> lane;
  futex_idle_driver<narrow_provider> driver;

 private:
  small_scheduler& m_home;
  unsigned m_index;
};

class small_scheduler {
 public:
  explicit small_scheduler(unsigned workers) : gate(workers) {
    for (unsigned i = 0; i < workers; ++i) all.push_back(std::make_unique<small_worker>(*this, i));
  }

  void inject(node* item) {
    outside.enter();
    ending.count_spawned_outside();
    injector.push(item);
    notify();
    outside.leave();
  }
  bool notify() {
    return gate.notify([this](unsigned chosen) { all[chosen]->driver.interrupt(); });
  }
  void wake_everyone() {
    gate.notify_all([this](unsigned chosen) { all[chosen]->driver.interrupt(); });
  }
  [[nodiscard]] std::uint64_t done() const {
    std::uint64_t sum = 0;
    for (const auto& each : all) sum += each->counts.done.get();
    return sum;
  }

  detail::sleep_gate<narrow_provider> gate;
  queue::injector<node, narrow_provider> injector;
  detail::termination<narrow_provider> ending;
  detail::start_signal<narrow_provider> start;
  detail::foreign_callers<narrow_provider> outside;
  std::vector<std::unique_ptr<small_worker>> all;
};

node* small_worker::next_injected() {
  return detail::take_injected_batch(
      m_home.injector, lane, m_home.all.size(), true, [](auto) {}, [this] { m_home.notify(); });
}
node* small_worker::steal_round() {
  for (const auto& victim : m_home.all) {
    if (victim.get() == this) continue;
    if (const auto taken = detail::steal_batch(victim->deque, victim->lane, lane, [this] { m_home.notify(); });
        taken.count != 0) {
      return taken.first;
    }
  }
  return nullptr;
}
bool small_worker::execute(node& item) {
  for (int child = 0; child < 2 && item.depth > 0; ++child) {
    counts.spawned.add();
    deque.push_bottom(new node{.depth = item.depth - 1});
    m_home.notify();
  }
  delete &item;
  counts.done.add_release();
  return true;
}
detail::sleep_gate<narrow_provider>& small_worker::gate() { return m_home.gate; }
void small_worker::notify_of_injector() { m_home.notify(); }
bool small_worker::sees_work() {
  return m_home.injector.size() != 0 || std::ranges::any_of(m_home.all, [](const auto& each) {
           return each->deque.size() != 0 || each->lane.size() != 0;
         });
}
bool small_worker::finished() const { return m_home.ending.finished(); }
void small_worker::finish_if_drained() {
  const auto counts_of = [](const auto& each) -> auto& { return each->counts; };
  m_home.ending.finish_if_drained(std::views::transform(m_home.all, counts_of), [this] { m_home.wake_everyone(); });
}

TEST(RunLoop, StressASmallSchedulerOfTheSameParts_RunsEverythingAndEnds) {
  const test::watchdog limit("small scheduler");
  for (test::rounds race(test::repetitions(100)); race.next();) {
    const auto workers = static_cast<unsigned>(1 + race.begun() % 4);
    small_scheduler home(workers);
    home.ending.begin(false);
    std::vector<std::thread> threads;
    for (const auto& each : home.all) {
      threads.emplace_back([&home, mine = each.get()] {
        if (home.start.wait()) detail::run_loop(*mine).run();
      });
    }
    home.start.go();
    for (int i = 0; i < 4; ++i) {
      home.inject(new node{.depth = 6});
      if (race.begun() % 2 == 0) std::this_thread::yield();
    }
    home.ending.drain([&] { home.wake_everyone(); });
    for (std::thread& each : threads) each.join();
    home.outside.wait_until_gone();
    EXPECT_EQ(home.done(), 4U * 127U);
    EXPECT_EQ(home.gate.counts().searching(), 0U);
    EXPECT_EQ(home.gate.counts().sleeping(), 0U);
    EXPECT_FALSE(home.all[0]->sees_work());
  }
}

}  // namespace
}  // namespace ramie
