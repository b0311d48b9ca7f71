#include "report/page.hpp"

#include <algorithm>
#include <ctime>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

#include "report/embedded.hpp"
#include "report/html.hpp"
#include "report/tables.hpp"

namespace bench {
namespace {

using html::element;
using html::escape;

using facts = std::vector<std::pair<std::string, std::string>>;

std::string paragraph(const std::string& text) { return element("p", "", escape(text)); }

std::string fact_list(const std::string& title, const facts& list) {
  std::string inside;
  for (const auto& [name, value] : list) {
    if (!value.empty())
      inside += element("div", "", element("dt", "", escape(name)) + element("dd", "", escape(value)));
  }
  return element("section", " class=\"facts\"", element("h2", "", escape(title)) + element("dl", "", inside));
}

facts facts_of(const machine& m) {
  facts list{{"processor", m.cpu},
             {"cores",
              fmt::format("{}{}{}", m.cores, m.usable_cores < m.cores ? fmt::format(", {} usable", m.usable_cores) : "",
                          m.virtual_machine ? ", virtual machine" : "")},
             {"memory", fmt::format("{:.1f} GiB", static_cast<double>(m.memory_bytes) / (1024.0 * 1024 * 1024))},
             {"system", m.system},
             {"kernel", m.kernel},
             {"compiler", m.compiler},
             {"flags", m.flags}};
  list.emplace_back("load before", fmt::format("{:.2f}", m.load));
  return list;
}

facts facts_of(const options& o) {
  return {{"workers", o.workers.empty() ? "as each suite asks" : fmt::format("{}", fmt::join(o.workers, ", "))},
          {"queue", o.queue},
          {"victim", o.victim},
          {"stealing", o.stealing},
          {"backoff", o.backoff},
          {"topology", o.topology.empty() ? "this machine" : o.topology},
          {"steal threshold", o.steal_threshold ? std::to_string(*o.steal_threshold) : "default"},
          {"pinned", o.pin ? "yes" : "no"},
          {"spin", o.spin_ns ? fmt::format("{} ns", *o.spin_ns) : "default"},
          {"seed", std::to_string(o.seed)},
          {"sizes", o.quick  ? "quick"
                    : o.full ? "full"
                             : "ordinary"},
          {"peers", o.peers ? "yes" : "no"},
          {"repetitions", std::to_string(o.runs)},
          {"busy neighbours", std::to_string(o.neighbours)}};
}

std::string figure(const plot& p) {
  // The drawing is named by its heading, for those who hear the page.
  std::string svg = p.svg;
  const std::string label = fmt::format(" role=\"img\" aria-label=\"{}\"", escape(p.title + ". " + p.look));
  if (svg.compare(0, 4, "<svg") == 0) svg.insert(4, label);
  return element("figure", fmt::format(" class=\"plot\" id=\"{}\"", escape(p.name)),
                 element("h3", "", escape(p.title)) + svg + element("figcaption", "", escape(p.look))) +
         "\n";
}

std::string figure(const picture& p) {
  return element(
             "figure", " class=\"picture\"",
             fmt::format("<img src=\"data:image/png;base64,{}\" alt=\"{}\">", html::base64(p.png), escape(p.caption)) +
                 element("figcaption", "", escape(p.caption))) +
         "\n";
}

std::string anchor(const std::string& suite) {
  std::string id = "suite-";
  for (const char c : suite) id += (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ? c : '-';
  return id;
}

std::string section_html(const report_section& s, const drawing& drawn) {
  std::vector<std::string> figures;
  std::vector<double> heights;
  for (const plot& p : drawn.plots) {
    if (p.suite != s.name) continue;
    figures.push_back(figure(p));
    heights.push_back(p.height * 1.2 + 130);  // as a wide window shows it, with heading and caption
  }
  for (const picture& p : s.pictures) {
    figures.push_back(figure(p));
    heights.push_back(520);
  }
  std::string notes;
  for (const std::string& note : s.notes) notes += element("li", "", escape(note));
  if (!notes.empty()) notes = element("ul", " class=\"notes\"", notes);
  const std::string tables = element("div", " class=\"tables\"", values_table_html(s.rows) + notes);

  // Beside the table stand as many figures as it is high, at least one; the others come below in two columns.
  std::string beside;
  std::string below;
  double room = 90 + 29.0 * static_cast<double>(s.rows.size());
  for (std::size_t i = 0; i < figures.size(); ++i) {
    if (i == 0 || (below.empty() && heights[i] <= room)) {
      beside += figures[i];
    } else {
      below += figures[i];
    }
    room -= heights[i];
  }
  std::string body =
      beside.empty() ? tables
                     : element("div", " class=\"pair\"", tables + element("div", " class=\"figures\"", "\n" + beside));
  if (!below.empty()) body += element("div", " class=\"grid\"", "\n" + below);
  body += statistics_table_html(s.rows);
  return element("section", fmt::format(" class=\"suite\" id=\"{}\"", anchor(s.name)),
                 element("h2", "", escape(s.name)) + (s.summary.empty() ? "" : paragraph(s.summary)) + body) +
         "\n";
}

std::string verdict(const report& r) {
  std::size_t rows = 0;
  std::string bad;
  for (const report_section& s : r.sections) {
    rows += s.rows.size();
    for (const row_result& row : s.rows) {
      if (row.verified) continue;
      bad += element("li", "",
                     escape(fmt::format("{} {} {} with {} worker{}: {}", row.suite, row.row, row.runtime, row.workers,
                                        row.workers == 1 ? "" : "s", row.complaint)));
    }
  }
  std::string text;
  if (r.interrupted) {
    text += element("p", " class=\"warning\"",
                    rows == 0 ? "Interrupted before the first row was measured."
                              : "Interrupted: only the rows measured before it are here.");
  }
  if (r.with.runs < 5) {
    text += element("p", " class=\"warning\"", "Fewer than five repetitions: a look, not a measurement.");
  }
  if (r.on.load > 0.5 * r.on.usable_cores && r.on.usable_cores != 0) {
    text += element("p", " class=\"warning\"",
                    "The machine was busy: compare rows with each other, not with those of other runs.");
  }
  if (rows == 0) return element("p", " class=\"warning\"", "Nothing was measured.") + text;
  if (bad.empty()) {
    const auto suites =
        std::count_if(r.sections.begin(), r.sections.end(), [](const report_section& s) { return !s.rows.empty(); });
    return element("p", " class=\"verdict\"",
                   fmt::format("{} row{} in {} suite{}; every result verified.", rows, rows == 1 ? "" : "s", suites,
                               suites == 1 ? "" : "s")) +
           text;
  }
  return element("div", " class=\"failure\" role=\"alert\"",
                 element("p", "", "Some results are wrong:") + element("ul", "", bad)) +
         text;
}

std::string index_of(const report& r) {
  std::string items;
  for (const report_section& s : r.sections) {
    items += element("li", "",
                     fmt::format("<a href=\"#{}\">{}</a>", anchor(s.name), escape(s.name)) +
                         (s.summary.empty() ? "" : element("span", "", fmt::format(" {}", escape(s.summary))))) +
             "\n";
  }
  return element("nav", " aria-label=\"Suites\"", element("h2", "", "Suites") + element("ul", "", "\n" + items));
}

std::string now_text() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[40];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &utc)};
}

}  // namespace

std::string page_html(const report& r, const drawing& drawn) {
  std::string overview;
  for (const plot& p : drawn.plots) {
    if (p.suite.empty()) overview += figure(p);
  }
  if (!overview.empty()) {
    overview = element("section", " class=\"suite\" id=\"overview\"",
                       element("h2", "", "At a glance") + element("div", " class=\"grid\"", "\n" + overview));
  }
  std::string about_plots;
  if (!drawn.missing.empty()) about_plots = element("p", " class=\"warning\" id=\"no-plots\"", escape(drawn.missing));
  for (const std::string& problem : drawn.problems) {
    about_plots += element("p", " class=\"warning\"", escape("A plot could not be drawn: " + problem));
  }
  std::string suites;
  for (const report_section& s : r.sections) suites += section_html(s, drawn);
  std::string absent;
  for (const std::string& peer : r.absent) absent += element("li", "", escape(peer));
  if (!absent.empty()) {
    absent = element("section", " class=\"suite\" id=\"absent\"",
                     element("h2", "", "Absent peers") + element("ul", " class=\"notes\"", absent));
  }
  const std::string header =
      element("header", "",
              element("h1", "", "ramie bench") +
                  element("p", " class=\"lead\"",
                          escape(fmt::format("Measured on {}, {} core{}. Medians; compare within this page.", r.on.cpu,
                                             r.on.cores, r.on.cores == 1 ? "" : "s"))) +
                  verdict(r) + about_plots);
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n"
         "<title>ramie bench</title>\n" +
         element("style", "", page_style) + "\n</head>\n<body>\n" +
         element("main", "",
                 header + "\n" + index_of(r) + "\n" + overview + "\n" + suites + absent +
                     element("div", " class=\"about\"",
                             fact_list("Machine", facts_of(r.on)) + fact_list("Options", facts_of(r.with))) +
                     element("footer", "", paragraph("Written " + now_text() + "."))) +
         "\n</body>\n</html>\n";
}

}  // namespace bench
