#include "framework/options.hpp"

#include <CLI/CLI.hpp>
#include <gtest/gtest.h>

namespace {

const bench::choices offered{.queues = {"chase_lev", "locked"},
                             .victims = {"random", "sequential"},
                             .backoffs = {"none", "fixed"},
                             .default_queue = "chase_lev",
                             .default_victim = "random",
                             .default_backoff = "fixed",
                             .knows_topology = [](const std::string& text) { return text.ends_with("pu:1"); }};

bench::options parse(std::vector<std::string> arguments) {
  bench::options o;
  CLI::App app;
  bench::add_suites(app, o, {"switch", "million"});
  bench::add_options(app, o, offered);
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants a vector
  app.parse(arguments);
  return o;
}

/// The complaint that the user reads about `arguments`; empty if they were accepted.
std::string complaint(std::vector<std::string> arguments) {
  try {
    (void)parse(std::move(arguments));
    return {};
  } catch (const CLI::ParseError& problem) {
    return problem.what();
  }
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Options, Nothing_GivesTheLibrarysDefaults) {
  const auto o = parse({});
  EXPECT_EQ(o.queue, "chase_lev");
  EXPECT_EQ(o.victim, "random");
  EXPECT_EQ(o.backoff, "fixed");
  EXPECT_EQ(o.stealing, "on");
  EXPECT_EQ(o.runs, 5U);
  EXPECT_TRUE(o.suites.empty());
  EXPECT_TRUE(o.workers.empty());
  EXPECT_FALSE(o.spin_ns.has_value());
}

TEST(Options, EveryOption_IsRead) {
  const auto o = parse({"switch",     "--workers", "1,2,8",       "--queue",    "locked",        "--victim",
                        "sequential", "--backoff", "none",        "--stealing", "off",           "--pin",
                        "--spin",     "500",       "--seed",      "7",          "--duration-ms", "20",
                        "--quick",    "--peers",   "--peers-dir", "p",          "--runs",        "9",
                        "--json",     "out.json",  "--image",     "pictures",   "--summary",     "--neighbours",
                        "3"});
  EXPECT_EQ(o.suites, std::vector<std::string>{"switch"});
  EXPECT_EQ(o.workers, (std::vector<unsigned>{1, 2, 8}));
  EXPECT_EQ(o.queue, "locked");
  EXPECT_EQ(o.victim, "sequential");
  EXPECT_EQ(o.backoff, "none");
  EXPECT_EQ(o.stealing, "off");
  EXPECT_TRUE(o.pin);
  EXPECT_EQ(o.spin_ns, 500U);
  EXPECT_EQ(o.seed, 7U);
  EXPECT_DOUBLE_EQ(o.repetition_seconds(), 0.02);
  EXPECT_TRUE(o.quick);
  EXPECT_TRUE(o.peers);
  EXPECT_EQ(o.runs, 9U);
  EXPECT_EQ(o.json_file, "out.json");
  EXPECT_EQ(o.image_directory, "pictures");
  EXPECT_TRUE(o.summary);
  EXPECT_EQ(o.neighbours, 3U);
}

TEST(Options, Blocks_AreReadWithEitherTimesSign) {
  EXPECT_EQ(parse({}).bwos_blocks, 16U);
  EXPECT_EQ(parse({}).bwos_entries, 64U);
  EXPECT_EQ(parse({}).bwos_grant, "early");
  for (const char* spelled : {"8x256", "8\u00d7256"}) {
    const auto o = parse({"--bwos-blocks", spelled, "--bwos-grant", "faithful"});
    EXPECT_EQ(o.bwos_blocks, 8U);
    EXPECT_EQ(o.bwos_entries, 256U);
    EXPECT_EQ(o.bwos_grant, "faithful");
  }
}

TEST(Options, BadBlocks_SaysWhatIsRight) {
  for (const char* bad : {"16", "1x64", "16x0", "16x4096", "16x", "x64", "16x64x2", "-2x4", "16 x 64", "", "16*64"}) {
    const std::string said = complaint({"--bwos-blocks", bad});
    EXPECT_TRUE(contains(said, "--bwos-blocks")) << bad << ": " << said;
    EXPECT_TRUE(contains(said, "2 to 65536 blocks of 1 to 4095")) << bad << ": " << said;
  }
  EXPECT_TRUE(complaint({"--bwos-blocks", "2x4095"}).empty());
  EXPECT_TRUE(contains(complaint({"--bwos-grant", "late"}), "choose one of: early, faithful"));
}

TEST(Options, QueueGiven_OnlyIfTheUserNamedIt) {
  EXPECT_FALSE(parse({}).queue_given);
  EXPECT_TRUE(parse({"--queue", "chase_lev"}).queue_given);
  EXPECT_FALSE(parse(bench::to_arguments(parse({}))).queue_given);
}

TEST(Options, Topology_IsAskedOfTheLibrary) {
  EXPECT_EQ(parse({}).topology, "");
  EXPECT_FALSE(parse({}).steal_threshold.has_value());
  const auto o = parse({"--topology", "pack:2 pu:1", "--steal-threshold", "0"});
  EXPECT_EQ(o.topology, "pack:2 pu:1");
  EXPECT_EQ(o.steal_threshold, 0U);
  EXPECT_EQ(parse(bench::to_arguments(o)), o);
  EXPECT_TRUE(contains(complaint({"--topology", "one"}), "--topology: 'one' is no synthetic description of hwloc"));
  EXPECT_TRUE(contains(complaint({"--steal-threshold", "-1"}), "from 0 to 4294967295"));
}

TEST(Options, BadChoice_SaysWhatIsAllowed) {
  EXPECT_TRUE(contains(complaint({"--queue", "deque"}), "choose one of: chase_lev, locked"));
  EXPECT_TRUE(contains(complaint({"--victim", "me"}), "choose one of: random, sequential"));
  EXPECT_TRUE(contains(complaint({"--backoff", "2"}), "choose one of: none, fixed"));
  EXPECT_TRUE(contains(complaint({"--stealing", "maybe"}), "choose one of: on, off"));
  EXPECT_TRUE(contains(complaint({"swich"}), "choose one of: switch, million"));
}

TEST(Options, BadNumber_NamesOptionValueAndRange) {
  for (const char* bad : {"0", "-1", "two", "1025", "1.5", "", "99999999999999999999"}) {
    const std::string said = complaint({"--workers", bad});
    EXPECT_TRUE(contains(said, "--workers")) << said;
    EXPECT_TRUE(contains(said, "from 1 to 1024")) << bad << ": " << said;
  }
  EXPECT_TRUE(contains(complaint({"--workers", "1,0"}), "'0' is not a whole number from 1 to 1024"));
  EXPECT_TRUE(contains(complaint({"--runs", "0"}), "from 1 to 1000"));
  EXPECT_TRUE(contains(complaint({"--seed", "x"}), "from 0 to 18446744073709551615"));
  EXPECT_TRUE(contains(complaint({"--spin", "-5"}), "from 0 to"));
  EXPECT_TRUE(contains(complaint({"--duration-ms", "0"}), "from 1 to 60000"));
  EXPECT_TRUE(contains(complaint({"--neighbours", "-1"}), "from 0 to 1024"));
}

TEST(Options, Numbers_AreDecimal_LeadingZerosMeanNothing) {
  const auto o = parse({"--workers", "08,010", "--runs", "010", "--duration-ms", "0100", "--seed", "08", "--spin",
                        "00500", "--steal-threshold", "09", "--bwos-blocks", "08x064"});
  EXPECT_EQ(o.workers, (std::vector<unsigned>{8, 10}));
  EXPECT_EQ(o.runs, 10U);
  EXPECT_EQ(o.duration_ms, 100U);
  EXPECT_EQ(o.seed, 8U);
  EXPECT_EQ(o.spin_ns, 500U);
  EXPECT_EQ(o.steal_threshold, 9U);
  EXPECT_EQ(o.bwos_blocks, 8U);
  EXPECT_EQ(o.bwos_entries, 64U);
  EXPECT_EQ(parse({"--spin", "00"}).spin_ns, 0U);
  for (const char* option : {"--workers", "--runs", "--duration-ms", "--seed", "--spin", "--steal-threshold"}) {
    for (const char* bad : {"0x10", "0b1", "010 ", " 8", "+8"}) {
      EXPECT_TRUE(contains(complaint({option, bad}), "is not a whole number")) << option << " " << bad;
    }
  }
}

TEST(Options, QuickAndFull_ExcludeEachOther) { EXPECT_FALSE(complaint({"--quick", "--full"}).empty()); }

TEST(Options, UnknownOption_IsRefused) { EXPECT_TRUE(contains(complaint({"--quik"}), "--quik")); }

TEST(Options, ToArguments_ReadBackTheSame) {
  auto o = parse({"--workers",     "2",         "--queue", "locked",        "--victim",
                  "sequential",    "--backoff", "none",    "--stealing",    "off",
                  "--pin",         "--spin",    "0",       "--seed",        "18446744073709551615",
                  "--duration-ms", "20",        "--full",  "--bwos-blocks", "2x1",
                  "--bwos-grant",  "faithful"});
  EXPECT_EQ(parse(bench::to_arguments(o)), o);
  EXPECT_EQ(parse(bench::to_arguments(parse({}))), parse({}));
}

TEST(Options, WorkerList_PrefersTheUsers) {
  EXPECT_EQ(bench::worker_list(parse({}), {1}), std::vector<unsigned>{1});
  EXPECT_EQ(bench::worker_list(parse({"--workers", "4"}), {1}), std::vector<unsigned>{4});
  EXPECT_EQ(bench::one_and_all().front(), 1U);
}

}  // namespace
