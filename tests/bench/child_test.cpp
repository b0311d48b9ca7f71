#include "framework/child.hpp"

#include <csignal>
#include <gtest/gtest.h>

#include "framework/interruption.hpp"
#include "framework/peers.hpp"
#include "framework/usage.hpp"
#include "support/eventually.hpp"

namespace {

using namespace std::chrono_literals;
using ramie::test::patience;

const std::vector<bench::row_name> row_r{{"r", "ns"}};

std::vector<std::string> shell(const std::string& script) { return {"/bin/sh", "-c", script}; }

TEST(Child, Output_IsRead) {
  const auto child = bench::run_child(shell("echo one; echo two"), patience);
  EXPECT_EQ(child.output, "one\ntwo\n");
  EXPECT_EQ(child.exit_status, 0);
  EXPECT_TRUE(child.error.empty());
}

TEST(Child, ThatDoesNotEnd_IsKilled) {
  const auto start = std::chrono::steady_clock::now();
  const auto child = bench::run_child({"/bin/sleep", "3600"}, 1s);
  EXPECT_TRUE(child.timed_out);
  EXPECT_NE(child.error.find("within 1 s"), std::string::npos) << child.error;
  EXPECT_LT(std::chrono::steady_clock::now() - start, patience);
}

TEST(Child, Failure_IsASentence) {
  EXPECT_NE(bench::run_child({"/no/such/program"}, patience).error.find("cannot start"), std::string::npos);
  EXPECT_NE(bench::run_child(shell("exit 3"), patience).error.find("status 3"), std::string::npos);
  EXPECT_NE(bench::run_child(shell("kill -ABRT $$"), patience).error.find("signal 6"), std::string::npos);
}

TEST(Child, OnlyAMeasuredOne_DiesOfAnInterruption) {
  const bench::interruption interrupt;
  std::raise(SIGINT);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(bench::samples_of_child({"/bin/sleep", "3600"}, row_r, 1h).at(0).verified);
  EXPECT_LT(std::chrono::steady_clock::now() - start, patience);
  // The program that draws the report of an interrupted run starts after the interruption.
  EXPECT_EQ(bench::run_child(shell("sleep 0.1; echo drawn"), patience).output, "drawn\n");
}

TEST(ChildSamples, JsonLine_IsASample) {
  const auto s = bench::samples_of_child(
                     shell(R"(echo noise; echo '{"row":"r","median":2.5,"verified":true,"stats":{"n":7}}')"), row_r)
                     .at(0);
  EXPECT_TRUE(s.verified) << s.complaint;
  EXPECT_DOUBLE_EQ(s.value, 2.5);
  EXPECT_DOUBLE_EQ(s.stats.at("n"), 7);
  EXPECT_EQ(s.stats.count(bench::stat_cpu_seconds), 1U);
}

TEST(ChildSamples, ChildsOwnStatistics_Win) {
  const auto s =
      bench::samples_of_child(shell(R"(echo '{"row":"r","median":1,"verified":true,"stats":{"cpu_s":123}}')"), row_r)
          .at(0);
  EXPECT_DOUBLE_EQ(s.stats.at(bench::stat_cpu_seconds), 123);
}

TEST(ChildSamples, WhateverGoesWrong_IsNotVerified) {
  for (const char* script : {
           R"(exit 1)",                                                            // no row
           R"(echo '{"row":"r","median":1,"verified":false,"stats":{}}')",         // says so itself
           R"(echo '{"row":"r","median":1,"verified":true,"stats":{}}'; exit 1)",  // died afterwards
           R"(echo '{"row":"other","median":1,"verified":true,"stats":{}}')",      // another row
           R"(echo '{"row":"r","median":"fast","verified":true,"stats":{}}')",     // not a number
           R"(echo '{"row":"r","median":1')",                                      // cut off
       }) {
    const auto s = bench::samples_of_child(shell(script), row_r).at(0);
    EXPECT_FALSE(s.verified) << script;
    EXPECT_FALSE(s.complaint.empty()) << script;
  }
}

TEST(ChildSamples, ToLines_ReadBackTheSame) {
  bench::sample s;
  s.row = "r";
  s.value = 4;
  s.complaint = "it's wrong";
  s.stats = {{"steals", 2}};
  std::string line = bench::to_lines({s});
  // Through a shell's here-document, so that quotes survive.
  const auto back = bench::samples_of_child(shell("cat <<'END'\n" + line + "END\n"), row_r).at(0);
  EXPECT_FALSE(back.verified);
  EXPECT_EQ(back.complaint, "it's wrong");
  EXPECT_DOUBLE_EQ(back.stats.at("steals"), 2);
}

TEST(Peers, NotWanted_AreNotFound) { EXPECT_FALSE(bench::peer_programs(false, "/bin").find("sh").has_value()); }

TEST(Peers, PresentAndAbsent) {
  const bench::peer_programs programs(true, "/bin");
  EXPECT_EQ(programs.find("sh"), "/bin/sh");
  EXPECT_FALSE(programs.find("switch_go").has_value());
  EXPECT_NE(programs.how_to_get("switch_go").find("build_peers.sh"), std::string::npos);
}

}  // namespace
