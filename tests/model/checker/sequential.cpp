#include <model/checker/sequential.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <sstream>
#include <stdexcept>

namespace ramie::model {

// ---- At random ----

std::uint8_t random_walk::next_thread(const execution& /*graph*/, std::uint32_t runnable, std::uint8_t current) {
  if ((runnable >> current & 1U) != 0 && m_random.below(8) < m_stays) return current;
  auto skipped = m_random.below(static_cast<std::uint32_t>(std::popcount(runnable)));
  for (; skipped > 0; --skipped) runnable &= runnable - 1;
  return static_cast<std::uint8_t>(std::countr_zero(runnable));
}
std::size_t random_walk::source(execution& /*graph*/, event& /*read*/, const std::vector<event_id>& sources,
                                bool /*may_block*/) {
  return m_random.below(8) < m_newest ? 0 : m_random.below(static_cast<std::uint32_t>(sources.size()));
}
std::size_t random_walk::place(execution& /*graph*/, event& /*write*/, const std::vector<std::int32_t>& places) {
  return places.empty() || m_random.below(8) < m_newest ? 0 : m_random.below(static_cast<std::uint32_t>(places.size()));
}
std::uint64_t random_walk::choice(execution& /*graph*/, event& /*chosen*/, std::uint64_t count) {
  return m_random.below(static_cast<std::uint32_t>(count));
}

// ---- All, with few preemptions ----

bool bounded::next() {
  m_depth = 0;
  m_preempted = 0;
  m_old = 0;
  while (!m_decisions.empty()) {
    if (++m_decisions.back().taken < m_decisions.back().count) return true;
    m_decisions.pop_back();
  }
  return false;
}

std::size_t bounded::decide(std::size_t count) {
  if (m_depth == m_decisions.size()) m_decisions.push_back({0, count});
  return m_decisions[m_depth++].taken;
}

std::size_t bounded::decide_place(std::size_t count) {
  if (m_old == m_old_values) return 0;
  const std::size_t chosen = decide(count);
  if (chosen != 0) ++m_old;
  return chosen;
}

std::uint8_t bounded::next_thread(const execution& /*graph*/, std::uint32_t runnable, std::uint8_t current) {
  const bool could_go_on = (runnable >> current & 1U) != 0;
  if (could_go_on && m_preempted == m_preemptions) return current;
  // The current thread first: the runs with fewest switches come first.
  std::vector<std::uint8_t> order;
  if (could_go_on) order.push_back(current);
  for (std::uint8_t i = 0; i < max_threads; ++i) {
    if ((runnable >> i & 1U) != 0 && !(could_go_on && i == current)) order.push_back(i);
  }
  const std::uint8_t chosen = order[decide(order.size())];
  if (could_go_on && chosen != current) ++m_preempted;
  return chosen;
}
std::size_t bounded::source(execution& /*graph*/, event& /*read*/, const std::vector<event_id>& sources,
                            bool /*may_block*/) {
  return decide_place(sources.size());
}
std::size_t bounded::place(execution& /*graph*/, event& /*write*/, const std::vector<std::int32_t>& places) {
  return places.empty() ? 0 : decide_place(places.size());
}
std::uint64_t bounded::choice(execution& /*graph*/, event& /*chosen*/, std::uint64_t count) { return decide(count); }

// ---- Once more ----

namespace {

std::string text_of(event_id id) {
  return id == nobody ? "-" : std::to_string(id.thread) + "." + std::to_string(id.index);
}

}  // namespace

std::string replay::steps_of(const execution& graph, const std::vector<event_id>& order) {
  std::string text;
  std::vector<event_id> done;
  const auto newest_done = [&](location_id location) {
    event_id newest = nobody;
    for (const event_id each : graph.where(location).writes) {
      if (each == nobody || std::ranges::find(done, each) != done.end()) newest = each;
    }
    return newest;
  };
  for (const event_id id : order) {
    const event& each = graph.at(id);
    if (each.blocked) continue;  // no step: it waits
    if (!text.empty()) text += ' ';
    text += std::to_string(id.thread);
    if (each.is_read() && graph.is_bound(each) && each.reads_from != newest_done(each.location)) {
      text += '<';
      text += text_of(each.reads_from);
    }
    if (each.kind == event_kind::write) {
      event_id behind = nobody;
      for (const event_id write : graph.where(each.location).writes) {
        if (write == id) break;
        if (write == nobody || std::ranges::find(done, write) != done.end()) behind = write;
      }
      if (behind != newest_done(each.location)) {
        text += '>';
        text += text_of(behind);
      }
    }
    if (each.kind == event_kind::choice) {
      text += '=';
      text += std::to_string(each.value);
    }
    done.push_back(id);
  }
  return text;
}

replay::step replay::parsed(const std::string& word) {
  const auto refuse = [&] {
    throw std::invalid_argument("'" + word + "' is no step; a step is 1, 1<2.7, 1<-, 1>2.7 or 1=3");
  };
  const char* at = word.data();
  const char* const end = at + word.size();
  const auto number = [&](auto& into) {
    const auto [next, error] = std::from_chars(at, end, into);
    if (error != std::errc()) refuse();
    at = next;
  };
  step made;
  made.text = word;
  number(made.taken.thread);
  if (made.taken.thread >= max_threads) refuse();
  if (at != end) {
    made.what = *at++;
    if (made.what == '=') {
      number(made.number);
    } else if (made.what != '<' && made.what != '>') {
      refuse();
    } else if (at != end && *at == '-') {
      ++at;
    } else {
      number(made.other.thread);
      if (at == end || *at++ != '.') refuse();
      number(made.other.index);
    }
    if (at != end) refuse();
  }
  return made;
}

replay::replay(const std::string& steps) {
  std::array<std::int16_t, max_threads> taken{};
  std::istringstream words(steps);
  for (std::string word; words >> word;) {
    step& made = m_steps.emplace_back(parsed(word));
    made.taken.index = taken[made.taken.thread]++;
  }
}

const replay::step* replay::of(const event& taken, char what) {
  const auto found = std::ranges::find(m_steps, taken.id, &step::taken);
  if (found == m_steps.end() || found->what == 0) return nullptr;
  if (found->what == what) return &*found;
  does_not_fit(*found);
  return nullptr;
}

void replay::does_not_fit(const step& which) {
  if (m_misfit.empty()) m_misfit = which.text;
}

std::uint8_t replay::next_thread(const execution& graph, std::uint32_t runnable, std::uint8_t /*current*/) {
  for (; m_at < m_steps.size(); ++m_at) {
    const event_id next = m_steps[m_at].taken;
    if (graph.thread(next.thread).size() > static_cast<std::size_t>(next.index)) continue;
    if ((runnable >> next.thread & 1U) != 0) return next.thread;
    does_not_fit(m_steps[m_at]);
    break;
  }
  return max_threads;
}
std::size_t replay::source(execution& /*graph*/, event& read, const std::vector<event_id>& sources,
                           bool /*may_block*/) {
  const step* const was = of(read, '<');
  if (was == nullptr) return 0;
  const auto found = std::ranges::find(sources, was->other);
  if (found != sources.end()) return static_cast<std::size_t>(found - sources.begin());
  does_not_fit(*was);
  return 0;
}
std::size_t replay::place(execution& graph, event& write, const std::vector<std::int32_t>& places) {
  const step* const was = of(write, '>');
  if (was == nullptr) return 0;
  const id_list& writes = graph.where(write.location).writes;
  const auto behind = static_cast<std::int32_t>(std::ranges::find(writes, was->other) - writes.begin()) + 1;
  const auto found = std::ranges::find(places, behind);
  if (found != places.end()) return static_cast<std::size_t>(found - places.begin());
  does_not_fit(*was);
  return 0;
}
std::uint64_t replay::choice(execution& /*graph*/, event& chosen, std::uint64_t count) {
  const step* const was = of(chosen, '=');
  if (was == nullptr) return 0;
  if (was->number < count) return was->number;
  does_not_fit(*was);
  return 0;
}

}  // namespace ramie::model
