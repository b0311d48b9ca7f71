#include "jobs/problem.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <map>
#include <string_view>
#include <utility>

namespace bench::jobs {
namespace {

constexpr std::string_view work_prefix = "work_";

tally sum_of(std::span<const tally> all) {
  tally sum;
  for (const tally& each : all) sum += each;
  return sum;
}

timed judged(timed run, const tally& found, const tally& expected) {
  if (found.jobs != expected.jobs) {
    run.complaint = fmt::format("{} jobs ran instead of {}", found.jobs, expected.jobs);
  } else if (found.numbers != expected.numbers) {
    run.complaint = fmt::format("{} jobs ran, but some twice and others never", found.jobs);
  } else if (found.results != expected.results) {
    run.complaint = fmt::format("the results sum up to {} instead of {}", found.results, expected.results);
  }
  run.verified = run.complaint.empty();
  return run;
}

}  // namespace

row_of_time row_of_work(std::uint32_t iterations) {
  static std::map<std::uint32_t, std::string> names;  // a row keeps the pointer
  std::string& name = names[iterations];
  if (name.empty()) name = fmt::format("{}{}", work_prefix, iterations);
  return {name.c_str(), "ns"};
}

std::uint32_t iterations_of(const std::string& row) {
  std::uint32_t found = 0;
  if (row.starts_with(work_prefix)) std::from_chars(row.data() + work_prefix.size(), row.data() + row.size(), found);
  return found;
}

std::uint32_t work(std::uint32_t iterations) {
  std::uint32_t result = 0;
  for (std::uint32_t i = 1; i <= iterations; ++i) {
    result += (1U << (result & 3U)) - 2 * i;
    // Opaque: no compiler takes several steps at once. Volatile: nor does it know two calls to be one.
    asm volatile("" : "+r"(result));
  }
  return result;
}

tally& tally::operator+=(const tally& other) {
  jobs += other.jobs;
  numbers += other.numbers;
  results += other.results;
  return *this;
}

batch batch_at(scale s, std::uint32_t iterations) {
  if (s == scale::tiny) return {.iterations = iterations, .jobs = 300, .rounds = 2};
  const std::uint64_t rounds = 2000 / std::max<std::uint64_t>(iterations, 100);
  return {.iterations = iterations, .jobs = 10'000, .rounds = std::max<std::uint64_t>(rounds, 1)};
}

batch serial_batch_at(scale s, std::uint32_t iterations) {
  batch serial = batch_at(s, iterations);
  serial.jobs /= 10;
  serial.rounds *= 10;
  return serial;
}

std::vector<std::uint32_t> iterations_at(scale s) {
  if (s == scale::tiny) return {100};
  if (s == scale::quick) return {100, 500, 2000};
  std::vector<std::uint32_t> found;
  for (std::uint32_t i = 100; i <= (s == scale::full ? 7000U : 2000U); i += 100) found.push_back(i);
  return found;
}

timed judged(timed run, const batch& b, std::span<const tally> found) {
  tally expected;
  const std::uint32_t result = work(b.iterations);
  for (std::uint64_t i = 0; i < b.all(); ++i) expected.add(i, result);
  return judged(std::move(run), sum_of(found), expected);
}

std::uint64_t tree::jobs() const {
  std::uint64_t in_level = 1;
  std::uint64_t total = 1;
  for (unsigned level = 0; level + 1 < levels; ++level) total += in_level *= children_at(level);
  return total;
}

tree tree_at(scale s) { return {.levels = s == scale::tiny ? 8U : 16U}; }

void plain_tree(const tree& t, unsigned level, std::uint64_t number, tally& into) {
  into.add(number, level);
  if (level + 1 == t.levels) return;
  for (unsigned i = 0; i < children_at(level); ++i) plain_tree(t, level + 1, child_number(number, i), into);
}

timed judged(timed run, const tree& t, std::span<const tally> found) {
  tally expected;
  plain_tree(t, 0, 0, expected);
  return judged(std::move(run), sum_of(found), expected);
}

}  // namespace bench::jobs
