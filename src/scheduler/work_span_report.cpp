// The result of work_span as text, and as a page with a plot. The plot is plain SVG: users of the library need no tool
// to draw it.
#include <ramie/scheduler/work_span.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <locale.h>
#include <string>

namespace ramie {
namespace {

constexpr std::array worker_counts{2U, 4U, 8U, 16U, 32U, 64U, 128U, 256U, 512U, 1024U};

// Numbers have a point whatever setlocale() the program has called: a comma ends a coordinate in SVG.
class plain_numbers {
 public:
  plain_numbers() : m_plain(::newlocale(LC_NUMERIC_MASK, "C", locale_t{})), m_before(::uselocale(m_plain)) {}
  ~plain_numbers() {
    ::uselocale(m_before);
    if (m_plain != locale_t{}) ::freelocale(m_plain);
  }
  plain_numbers(const plain_numbers&) = delete;
  plain_numbers& operator=(const plain_numbers&) = delete;

 private:
  locale_t m_plain;
  locale_t m_before;
};

template <class... Values>
std::string print(const char* format, Values... values) {
  std::array<char, 512> line{};
  std::snprintf(line.data(), line.size(), format, values...);
  return line.data();
}

std::string time_text(std::chrono::nanoseconds time) {
  const auto ns = static_cast<double>(time.count());
  if (ns < 1e3) return print("%.0f ns", ns);
  if (ns < 1e6) return print("%.1f us", ns / 1e3);
  if (ns < 1e9) return print("%.1f ms", ns / 1e6);
  return print("%.2f s", ns / 1e9);
}

std::string speed_up_text(double value) { return print(value < 100 ? "%.2f" : "%.0f", value); }

struct line_of_plot {
  const char* name;
  const char* css;
  double (*value)(const work_span_result&, unsigned);
};

double at_most(const work_span_result& r, unsigned workers) {
  return std::min(static_cast<double>(workers), r.parallelism());
}

constexpr std::array lines{
    line_of_plot{"at most: min(P, T1/Tinf)", "limit", &at_most},
    line_of_plot{"T1/P + Tinf allows", "allowed", [](const work_span_result& r, unsigned p) { return r.allowed(p); }},
    line_of_plot{"with the burdened span", "burdened",
                 [](const work_span_result& r, unsigned p) { return r.burdened(p); }},
};

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

// Both axes are powers of two, 1 … 1024 workers and the speed-ups that belong to them.
class plot {
 public:
  [[nodiscard]] std::string svg(const work_span_result& measured) const {
    std::string out =
        print("<svg viewBox='0 0 %d %d' role='img' aria-label='Speed-up against workers'>", width, height);
    for (unsigned power = 0; power <= 10; ++power) {
      const unsigned value = 1U << power;
      out += print("<path class='grid' d='M%.1f %.1fV%.1f M%.1f %.1fH%.1f'/>", x(value), y(1), y(1024), x(1), y(value),
                   x(1024));
      out += print("<text x='%.1f' y='%.1f' text-anchor='middle'>%u</text>", x(value), y(1) + 22, value);
      out += print("<text x='%.1f' y='%.1f' text-anchor='end'>%u</text>", x(1) - 10, y(value) + 5, value);
    }
    out += print("<text x='%.1f' y='%.1f' text-anchor='middle'>workers</text>", (x(1) + x(1024)) / 2, y(1) + 46);
    out += print("<text x='%.1f' y='%.1f'>speed-up</text>", x(1) - 40, y(1024) - 14);
    for (const line_of_plot& each : lines) {
      out += print("<path class='line %s' d='M%.1f %.1f", each.css, x(1), y(each.value(measured, 1)));
      for (const unsigned workers : worker_counts) {
        out += print(" L%.1f %.1f", x(workers), y(each.value(measured, workers)));
      }
      out += "'/>";
    }
    return out + "</svg>";
  }

 private:
  static constexpr int width = 720;
  static constexpr int height = 520;
  static double x(double workers) { return 70 + 62 * std::log2(workers); }
  static double y(double speed_up) { return 460 - 42 * std::log2(std::clamp(speed_up, 1.0, 1024.0)); }
};

constexpr const char* style = R"(
:root { color-scheme: light dark; --ink: #1d2126; --paper: #fff; --grid: #d9dde2; --a: #8a929b; --b: #0b66c3; --c: #b54708; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e9ec; --paper: #14171a; --grid: #343a41; --a: #98a1ab; --b: #6cb2ff; --c: #ffa45c; }
}
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 46rem; margin: 2rem auto;
  padding: 0 1rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
td, th { padding: .2rem .6rem; text-align: right; border-bottom: 1px solid var(--grid); font-weight: normal; }
th:first-child { text-align: left; }
svg { width: 100%; height: auto; font: 14px system-ui, sans-serif; fill: var(--ink); }
.grid { stroke: var(--grid); fill: none; } .line { fill: none; stroke-width: 2.5; }
.limit { stroke: var(--a); stroke-dasharray: 6 5; } .allowed { stroke: var(--b); } .burdened { stroke: var(--c); }
.key span { display: inline-block; margin-right: 1.5rem; } .key svg { width: 2rem; height: .6rem; margin-right: .4rem; }
)";

}  // namespace

std::string to_text(const work_span_result& r) {
  const plain_numbers guard;
  std::string out;
  out += print("work           %10s   T1: what one worker does, without the scheduler\n", time_text(r.work).c_str());
  out += print("span           %10s   Tinf: its longest chain\n", time_text(r.span).c_str());
  out += print("burdened span  %10s   if moving a task costs %s\n", time_text(r.burdened_span).c_str(),
               time_text(r.burden).c_str());
  out += print("parallelism    %10s   T1 / Tinf: more workers cannot help\n", speed_up_text(r.parallelism()).c_str());
  out += print("%llu fibers, %llu strands\n", static_cast<unsigned long long>(r.fibers),
               static_cast<unsigned long long>(r.strands));
  out += "workers                  ";
  for (const unsigned workers : worker_counts) out += print("%7u", workers);
  for (const line_of_plot& each : lines) {
    out += print("\n%-25s", each.name);
    for (const unsigned workers : worker_counts) {
      out += print("%7s", speed_up_text(each.value(r, workers)).c_str());
    }
  }
  return out + "\n";
}

std::string to_html(const work_span_result& r, const std::string& title) {
  const plain_numbers guard;
  std::string out = "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>";
  out += "<meta name='viewport' content='width=device-width, initial-scale=1'><title>" + escaped(title) +
         "</title><style>";
  out += style;
  out += "</style></head><body><h1>" + escaped(title) + "</h1><div class='scroll'><table>";
  const auto row = [&](const char* name, const std::string& value, const std::string& meaning) {
    out += std::string("<tr><th>") + name + "</th><td>" + value + "</td><th>" + meaning + "</th></tr>";
  };
  row("work T1", time_text(r.work), "what one worker does, without the scheduler");
  row("span T&infin;", time_text(r.span), "its longest chain");
  row("burdened span", time_text(r.burdened_span), "if moving a task costs " + time_text(r.burden));
  row("parallelism", speed_up_text(r.parallelism()), "T1 / T&infin;: more workers cannot help");
  row("fibers", std::to_string(r.fibers), "that ended");
  out += "</table></div><h2>Speed-up that work and span allow</h2><p class='key'>";
  for (const line_of_plot& each : lines) {
    out +=
        print("<span><svg viewBox='0 0 32 10'><path class='line %s' d='M0 5H32'/></svg>%s</span>", each.css, each.name);
  }
  out += "</p>" + plot().svg(r) + "<div class='scroll'><table><tr><th>workers</th>";
  for (const unsigned workers : worker_counts) out += print("<td>%u</td>", workers);
  for (const line_of_plot& each : lines) {
    out += print("</tr><tr><th>%s</th>", each.name);
    for (const unsigned workers : worker_counts) {
      out += "<td>" + speed_up_text(each.value(r, workers)) + "</td>";
    }
  }
  return out + "</tr></table></div></body></html>\n";
}

}  // namespace ramie
