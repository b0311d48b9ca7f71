#include <model/checker/trace.hpp>

#include <model/checker/mutation.hpp>
#include <model/checker/source_names.hpp>

#include <algorithm>
#include <array>
#include <cstdio>

namespace ramie::model {
namespace {

constexpr std::size_t widest = 160;

class tracer {
 public:
  tracer(const execution& graph, const std::vector<event_id>& order)
      : m_graph(graph), m_order(order), m_names(names_of(graph, order)) {}

  std::string text() {
    for (const event_id id : m_order) put(m_graph.at(id));
    return in_columns();
  }

 private:
  struct line {
    std::size_t thread;
    std::string where;
    std::string text;
  };

  static std::string text_of(event_id id) { return std::to_string(id.thread) + "." + std::to_string(id.index); }

  // Small numbers as they are, negative ones too; pointers and masks in hexadecimal.
  static std::string number(std::uint64_t value) {
    if (value < 1'000'000) return std::to_string(value);
    if (value + 1'000 < 1'000) return std::to_string(static_cast<std::int64_t>(value));
    char digits[32];
    std::snprintf(digits, sizeof(digits), "0x%llx", static_cast<unsigned long long>(value));
    return digits;
  }

  [[nodiscard]] bool is_queue(location_id location) const { return m_graph.where(location).created == nobody; }

  // Of a futex, the threads that sleep: see operations.cpp.
  static std::string sleepers(std::uint64_t queue) {
    std::string text = queue >> 63U != 0 ? "locked [" : "[";
    for (std::uint64_t rest = queue & ~(std::uint64_t{1} << 63U); rest != 0; rest >>= 4U) {
      if (text.back() != '[') text += ' ';
      text += std::to_string((rest & 15U) - 1);
    }
    return text += ']';
  }

  [[nodiscard]] std::string value_of(const event& each, std::uint64_t value) const {
    return is_queue(each.location) ? sleepers(value) : number(value);
  }

  [[nodiscard]] std::string from(const event& read) const {
    return read.reads_from == nobody ? "" : "   from " + text_of(read.reads_from);
  }

  // The half of a read-modify-write that writes, if it has come to that.
  [[nodiscard]] const event* write_of(const event& read) const {
    const std::vector<event>& events = m_graph.thread(read.id.thread);
    const auto next = static_cast<std::size_t>(read.id.index) + 1;
    if (!read.exclusive || next >= events.size() || !events[next].exclusive || !events[next].is_write()) return nullptr;
    const id_list& placed = m_graph.where(read.location).writes;
    return std::ranges::find(placed, events[next].id) != placed.end() ? &events[next] : nullptr;
  }

  [[nodiscard]] static std::string awaited(const event& read) {
    switch (read.awaited.kind) {
      case predicate::test::equal: return number(read.awaited.argument);
      case predicate::test::lacks_bits: return "its lock";
      case predicate::test::not_queued: return "being woken";
      case predicate::test::always: break;
    }
    return "anything";
  }

  // A write that goes before one that stands further up says so.
  [[nodiscard]] std::string before(const event& write) const {
    const id_list& writes = m_graph.where(write.location).writes;
    for (auto i = static_cast<std::size_t>(write.position) + 1; i < writes.size(); ++i) {
      if (m_done.contains(writes[i])) return "   before " + text_of(writes[i]);
    }
    return "";
  }

  void put(const event& each) {
    std::string text;
    event_id shown = each.id;
    const std::string name = each.location != no_location ? m_names[each.location] : "";
    const std::string order = std::string(" ") + name_of(each.order);
    switch (each.kind) {
      case event_kind::mark: return;
      case event_kind::read: {
        const event* const write = write_of(each);
        if (write != nullptr) shown = write->id;
        text = name + (each.update == rmw::none ? ".load" : each.update == rmw::always ? ".update" : ".cas");
        if (each.blocked || !m_graph.is_bound(each)) {
          text += order;
          if (each.awaits()) text += " waits for " + awaited(each);
        } else if (write != nullptr) {
          text += order + " " + value_of(each, each.value) + " -> " + value_of(each, write->value) + from(each);
        } else {
          text += order + " = " + value_of(each, each.value);
          if (each.update == rmw::if_equal) text += ", not " + value_of(each, each.expected);
          text += from(each);
        }
        break;
      }
      case event_kind::write:
        m_done.include(each.id);
        if (each.exclusive) return;
        text = name + ".store" + order + " = " + value_of(each, each.value) + before(each);
        break;
      case event_kind::create:
        m_done.include(each.id);
        text = name + " = " + number(each.value);
        break;
      case event_kind::destroy: text = name + " destroyed"; break;
      case event_kind::fence: text = "fence" + order; break;
      case event_kind::light_fence: text = "light fence"; break;
      case event_kind::heavy_fence: text = "heavy fence"; break;
      case event_kind::choice: text = "chooses " + number(each.value); break;
    }
    m_lines.push_back(
        {each.id.thread, each.where.line != 0 ? model::text_of(each.where) : "", text_of(shown) + "  " + text});
  }

  [[nodiscard]] std::string in_columns() const {
    std::array<std::size_t, max_threads> width{};
    std::size_t margin = 0, longest = 0, threads = 0;
    for (const line& each : m_lines) {
      width[each.thread] = std::max({width[each.thread], each.text.size() + 2, std::size_t{10}});
      margin = std::max(margin, each.where.size() + 2);
      longest = std::max(longest, each.text.size());
    }
    std::size_t all = margin;
    for (const std::size_t each : width) {
      all += each;
      threads += each != 0 ? 1 : 0;
    }
    // Where columns are too wide they overlap: a line has text in one of them only.
    if (all > widest && threads > 1) {
      const std::size_t room = widest > margin + longest ? widest - margin - longest : 0;
      for (std::size_t& each : width) each = std::min(each, std::max(room / (threads - 1), std::size_t{10}));
    }
    std::array<std::size_t, max_threads> begin{};
    std::string header(margin, ' ');
    for (std::size_t thread = 0, at = margin; thread < max_threads; ++thread) {
      begin[thread] = at;
      at += width[thread];
      if (width[thread] == 0) continue;
      header.resize(begin[thread], ' ');
      header += "thread " + std::to_string(thread);
    }
    std::string text = m_lines.empty() ? "" : header + "\n";
    for (const line& each : m_lines) {
      text += each.where;
      text.append(begin[each.thread] - each.where.size(), ' ');
      text += each.text + "\n";
    }
    return text;
  }

  const execution& m_graph;
  const std::vector<event_id>& m_order;
  std::vector<std::string> m_names;
  clock m_done;  // writes above this line, as far as threads go in order
  std::vector<line> m_lines;
};

}  // namespace

std::string trace_of(const execution& graph, const std::vector<event_id>& order) { return tracer(graph, order).text(); }

}  // namespace ramie::model
