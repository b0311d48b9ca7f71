#include <model/checker/check.hpp>

#include <model/checker/exhaustive.hpp>
#include <model/checker/sequential.hpp>
#include <model/checker/trace.hpp>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace ramie::model {
namespace {

class session {
 public:
  session(std::string_view name, const std::function<void()>& body, const limits& within)
      : m_body(body), m_limits(within) {
    m_report.name = name;
    m_machine.set_step_limit(within.steps);
    m_machine.set_spurious_failures(within.spurious_failures);
  }

  report run() {
    const auto begin = std::chrono::steady_clock::now();
    if (const char* const steps = std::getenv("RAMIE_MODEL_REPLAY"); steps != nullptr && *steps != '\0') {
      run_again(steps);
    } else {
      switch (m_limits.how) {
        case search::exhaustive: exhaust(); break;
        case search::bounded: bound(); break;
        case search::walks: walk(); break;
      }
    }
    m_report.took = std::chrono::steady_clock::now() - begin;
    return std::move(m_report);
  }

 private:
  void exhaust() {
    exhaustive all;
    while (all.next(m_graph)) {
      if (spent() || !execute(all, false)) return;
    }
  }
  void bound() {
    bounded all(m_limits.preemptions, m_limits.old_values);
    do {
      if (spent() || !execute(all)) return;
    } while (all.next());
  }
  void walk() {
    random_source seeds(m_limits.seed);
    for (std::uint64_t i = 0; i < m_limits.walks; ++i) {
      random_walk one(seeds.next());
      if (!execute(one)) return;
    }
  }

  void run_again(const char* steps) {
    const auto refuse = [&](const std::string& why) {
      m_report.failed = true;
      m_report.what = "RAMIE_MODEL_REPLAY: " + why;
      m_report.replay = steps;
    };
    try {
      replay again(steps);
      if (!execute(again)) return;
      m_report.trace = trace_of(m_graph, m_machine.order());
      if (!again.misfit().empty()) {
        refuse("the step '" + again.misfit() + "' cannot be taken: the steps are another check's or of older code");
      } else if (m_report.complete == 0) {
        refuse("the steps end before the check does, and nothing has failed until then");
      } else {
        std::printf("%s", m_report.trace.c_str());
      }
    } catch (const std::invalid_argument& no_step) {
      refuse(no_step.what());
    }
  }

  bool spent() {
    if (m_limits.executions == 0 || m_report.complete + m_report.blocked < m_limits.executions) return false;
    m_report.failed = true;
    m_report.what = "not finished after " + std::to_string(m_limits.executions) +
                    " executions: make the scenario smaller, or raise limits.executions";
    return true;
  }

  bool execute(strategy& decisions, bool from_nothing = true) {
    if (from_nothing) m_graph = execution();
    switch (m_machine.run(m_graph, decisions, m_body)) {
      case ending::complete:
        ++m_report.complete;
        for (std::string& each : m_machine.outcomes()) m_report.outcomes.insert(std::move(each));
        return true;
      case ending::blocked: ++m_report.blocked; return true;
      case ending::abandoned: return true;
      case ending::failed: break;
    }
    m_report.failed = true;
    m_report.what = m_machine.failure();
    m_report.trace = trace_of(m_graph, m_machine.order());
    if (const auto thread = m_machine.failed_thread()) m_report.trace += "thread " + std::to_string(*thread) + ": ";
    m_report.trace += m_report.what + "\n";
    m_report.replay = replay::steps_of(m_graph, m_machine.order());
    return false;
  }

  machine m_machine;
  const std::function<void()>& m_body;
  const limits& m_limits;
  execution m_graph;
  report m_report;
};

}  // namespace

std::string report::text() const {
  char numbers[160];
  std::snprintf(numbers, sizeof(numbers), "%llu executions, %llu blocked, %.3f s",
                static_cast<unsigned long long>(complete), static_cast<unsigned long long>(blocked),
                static_cast<double>(took.count()) * 1e-9);
  std::string all = name + ": " + numbers;
  if (failed) all += "\n" + what + "\n" + trace + "again with RAMIE_MODEL_REPLAY='" + replay + "'\n";
  return all;
}

report explore(std::string_view name, const std::function<void()>& body, const limits& within) {
  return session(name, body, within).run();
}

report check(std::string_view name, const std::function<void()>& body, const limits& within) {
  report made = explore(name, body, within);
  std::printf("[  model   ] %s\n", made.text().c_str());
  return made;
}

void outcome(const std::string& text) {
  const checker_code here;
  machine::current().outcomes().emplace_back(text);
}

comparison compare_searches(const std::function<void()>& body, unsigned spurious_failures, std::uint64_t most) {
  comparison both;
  machine runs;
  runs.set_spurious_failures(spurious_failures);
  execution graph;
  bounded every(1000, 1000);
  do {
    if (most-- == 0) {
      both.too_large = true;
      return both;
    }
    graph = execution();
    if (runs.run(graph, every, body) == ending::complete) both.by_interleavings.insert(graph.identity());
  } while (every.next());
  exhaustive all;
  while (all.next(graph)) {
    if (runs.run(graph, all, body) == ending::complete) both.by_graphs.insert(graph.identity());
  }
  return both;
}

}  // namespace ramie::model
