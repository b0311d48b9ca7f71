// How an execution is shown.
#include <model/litmus.hpp>

#include <model/checker/source_names.hpp>

#include <algorithm>
#include <sstream>

namespace ramie::model {
namespace {

// Without the margin, which says where in this file. (No body stands in an EXPECT_EQ: a macro is all one line.)
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream all(text);
  for (std::string line; std::getline(all, line);) {
    const std::size_t margin = line.find(".cpp:");
    if (margin < 30) line.erase(0, line.find(' ', margin));
    line.erase(0, std::min(line.size(), line.find_first_not_of(' ')));
    lines.push_back(line);
  }
  return lines;
}

std::vector<std::string> trace_of(const std::function<void()>& body) {
  const report found = explore("trace", body);
  EXPECT_TRUE(found.failed);
  return lines_of(found.trace);
}

using lines = std::vector<std::string>;

TEST(Trace, HasAColumnAThreadAndALineAnEvent) {
  const report found = explore("trace", [] {
    atomic<int> ready{0};
    atomic<int> message{0};
    threads(
        [&] {
          message.store(1, relaxed);
          ready.store(1, release);
        },
        [&] { require(ready.load(acquire) != 1 || message.load(relaxed) == 0, "never sent"); });
  });
  EXPECT_EQ(lines_of(found.trace), (lines{"thread 0          thread 1                        thread 2",  //
                                          "0.1  ready = 0",                                              //
                                          "0.2  message = 0",                                            //
                                          "1.1  message.store relaxed = 1",                              //
                                          "1.2  ready.store release = 1",                                //
                                          "2.1  ready.load acquire = 1   from 1.2",                      //
                                          "2.2  message.load relaxed = 1   from 1.1",                    //
                                          "thread 2: never sent"}));
  // Each event stands in its thread's column, and the margin says where it is in the source.
  std::istringstream all(found.trace);
  std::string header, line;
  std::getline(all, header);
  while (std::getline(all, line) && line.compare(0, 6, "thread") != 0) {
    EXPECT_EQ(line.compare(0, 15, "trace_test.cpp:"), 0) << line;
    const std::size_t column = line.find_first_not_of(' ', line.find(' '));
    EXPECT_EQ(header.find("thread " + line.substr(column, 1)), column) << line;
  }
}

TEST(Trace, ReadModifyWrite_IsOneLineNumberedAsItsWrite) {
  const lines shown = trace_of([] {
    atomic<int> count{3};
    count.fetch_add(1, acq_rel);
    int expected = 4;
    count.compare_exchange_strong(expected, 5, release, relaxed);
    count.compare_exchange_strong(expected, 6, seq_cst, acquire);
    require(count.load(relaxed) == 6, "the last one has succeeded");
  });
  EXPECT_EQ(shown,
            (lines{"thread 0",                                     //
                   "0.1  count = 3",                               //
                   "0.3  count.update acq_rel 3 -> 4   from 0.1",  //
                   "0.5  count.cas release 4 -> 5   from 0.3",     //
                   "0.6  count.cas acquire = 5, not 4   from 0.5",
                   "0.7  count.load relaxed = 5   from 0.5",  //
                   "thread 0: the last one has succeeded"}));
}

TEST(Trace, WriteThatGoesBehindAnOlderLine_SaysSo) {
  const lines shown = trace_of([] {
    atomic<int> x{0};
    threads([&] { x.store(1, relaxed); }, [&] { x.store(2, relaxed); });
    require(x.load(relaxed) == 2, "2 is last");
  });
  EXPECT_EQ(shown,
            (lines{"thread 0                            thread 1                  thread 2",  //
                   "0.1  x = 0",                                                              //
                   "1.1  x.store relaxed = 1",                                                //
                   "2.1  x.store relaxed = 2   before 1.1",                                   //
                   "0.4  x.load relaxed = 1   from 1.1",                                      //
                   "thread 0: 2 is last"}));
}

TEST(Trace, FencesChoicesAndDestructions) {
  const lines shown = trace_of([] {
    {
      atomic<int> gone{0};
    }
    provider::fence_light();
    provider::fence_heavy();
    fence(acq_rel);
    require(choose(2) == 0, "0 is chosen");
  });
  EXPECT_EQ(shown,
            (lines{"thread 0",             //
                   "0.1  gone = 0",        //
                   "0.2  gone destroyed",  //
                   "0.3  light fence",     //
                   "0.4  heavy fence",     //
                   "0.5  fence acq_rel",   //
                   "0.6  chooses 1",       //
                   "thread 0: 0 is chosen"}));
}

TEST(Trace, NumbersAsPeopleReadThem) {
  const lines shown = trace_of([] {
    atomic<std::int64_t> x{-2};
    x.store(999'999, relaxed);
    x.store(0x7000'0000'1230, relaxed);
    require(false, "shown");
  });
  EXPECT_EQ(shown,
            (lines{"thread 0",                               //
                   "0.1  x = -2",                            //
                   "0.2  x.store relaxed = 999999",          //
                   "0.3  x.store relaxed = 0x700000001230",  //
                   "thread 0: shown"}));
}

struct array_of_cells {
  atomic<int> m_cells[2];
};

TEST(Trace, CellsOfAnArray_AreNumbered) {
  const lines shown = trace_of([] {
    array_of_cells some;
    some.m_cells[1].store(1, relaxed);
    some.m_cells[0].store(some.m_cells[1].load(relaxed), relaxed);
    require(false, "shown");
  });
  EXPECT_EQ(shown,
            (lines{"thread 0",                          //
                   "0.1  m_cells#0 = 0",                //
                   "0.2  m_cells#1 = 0",                //
                   "0.3  m_cells#1.store relaxed = 1",  //
                   "0.4  m_cells#1.load relaxed = 1   from 0.3",
                   "0.5  m_cells#0.store relaxed = 1",  //
                   "thread 0: shown"}));
}

TEST(Trace, FutexQueue_ShowsWhoSleeps) {
  const lines shown = trace_of([] {
    atomic<std::uint32_t> word{0};
    threads([&] { provider::futex_wait(word, 0); });
  });
  EXPECT_EQ(shown.size(), 7U);
  EXPECT_EQ(shown[2], "1.2  word's sleepers.update acquire [] -> locked []");
  EXPECT_EQ(shown[3], "1.3  word.load relaxed = 0   from 0.1");
  EXPECT_EQ(shown[4], "1.4  word's sleepers.store release = [1]");
  EXPECT_EQ(shown[5], "1.5  word's sleepers.load acquire waits for being woken");
  EXPECT_EQ(shown[6].find("nobody can go on: thread 1 (trace_test.cpp:"), 0U);
}

TEST(Trace, AccessThatFails_IsItsLastLine) {
  const lines shown = trace_of([] {
    auto* const shared = new atomic<int>(0);
    threads([=] { delete shared; }, [=] { shared->fetch_add(1, seq_cst); });
  });
  EXPECT_EQ(shown[2], "1.1  shared destroyed");
  EXPECT_EQ(shown[3], "2.1  shared.update seq_cst");
  EXPECT_EQ(shown[4].find("thread 2: used after its destruction, at trace_test.cpp:"), 0U);
}

TEST(Trace, IsNotWiderThanAScreen) {
  const report found = explore("trace", [] {
    atomic<int> one_with_a_rather_long_name{0};
    const auto run = [&] {
      one_with_a_rather_long_name.fetch_add(1, relaxed);
      one_with_a_rather_long_name.fetch_sub(1, relaxed);
    };
    threads(run, run, run, run, run, run, run);
    require(false, "shown");
  });
  std::istringstream all(found.trace);
  std::size_t widest = 0;
  for (std::string line; std::getline(all, line);) widest = std::max(widest, line.size());
  EXPECT_LE(widest, 160U);
  EXPECT_GE(widest, 120U);
}

// ---- Names ----

std::size_t column_of(const std::string& line, const char* part) { return line.find(part) + 1; }

// gcc gives the column of the parenthesis, clang of the beginning.
TEST(SourceNames, OfOperations) {
  const std::string two = "  int sum = x.load(relaxed) + other->m_cells[i].load(acquire);";
  EXPECT_EQ(operated_on(two, column_of(two, "(relaxed")), "x");
  EXPECT_EQ(operated_on(two, column_of(two, "x.load")), "x");
  EXPECT_EQ(operated_on(two, column_of(two, "(acquire")), "m_cells");
  EXPECT_EQ(operated_on(two, column_of(two, "other")), "m_cells");
  const std::string call = "  while (!ring->cell(bottom - 1).compare_exchange_weak(expected, next)) {";
  EXPECT_EQ(operated_on(call, column_of(call, "(expected")), "cell");
  EXPECT_EQ(operated_on(call, column_of(call, "ring")), "cell");
  const std::string sleeps = "  Provider::futex_wait(m_parker.m_word, 0);";
  EXPECT_EQ(operated_on(sleeps, column_of(sleeps, "(m_parker")), "m_word");
  EXPECT_EQ(operated_on(sleeps, column_of(sleeps, "Provider")), "m_word");
  EXPECT_EQ(operated_on("", 1), "");
  EXPECT_EQ(operated_on("  return apply(function);", 10), "");
}

TEST(SourceNames, OfDeclarations) {
  EXPECT_EQ(declared("  alignas(64) atomic<std::int64_t> m_top{0};", 40), "m_top");
  EXPECT_EQ(declared("  typename Provider::template atomic<node*> m_head{nullptr};  // the oldest", 10), "m_head");
  const std::string two = "  atomic<int> first{0}, second{1};";
  EXPECT_EQ(declared(two, column_of(two, "}, ")), "first");
  EXPECT_EQ(declared(two, column_of(two, "};")), "second");
  EXPECT_EQ(declared("  auto* const made = new atomic<int>(0);", 20), "made");
  EXPECT_EQ(declared("  return *this;", 3), "");
}

}  // namespace
}  // namespace ramie::model
