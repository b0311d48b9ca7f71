#include "heat/suite.hpp"

#include <fmt/format.h>
#include <stdexcept>

#include "heat/contenders.hpp"
#include "heat/picture.hpp"
#include "kernel/compiled_peers.hpp"
#include "library/convert.hpp"

namespace bench {
namespace {

using namespace heat;

plan make_plan(const options& o, const peer_programs& programs) {
  plan_builder b(o, programs);
  const size n = size_at(o.scale());
  const auto prepare = [=] { static_cast<void>(expected(n)); };
  b.add(
      "plain_call", 1, row_stealing, [=] { return run_plain_call(n); },
      [=, directory = o.image_directory] {
        if (!directory.empty()) write_frames(n, directory);
        prepare();
      });
  for (const unsigned w : b.workers()) {
    b.add("ramie", w, row_stealing, [=] { return run_ramie(library_options(o, w), n); }, prepare);
    b.add("control", w, row_stealing, [=] { return run_control(w, n); }, prepare);
#if RAMIE_BENCH_TBB
    if (b.peers()) b.add("tbb", w, row_stealing, [=] { return run_tbb(w, n); }, prepare);
#endif
#if RAMIE_BENCH_OPENMP
    if (b.peers()) b.add("openmp", w, row_stealing, [=] { return run_openmp(w, n); }, prepare);
#endif
  }
  tell_absent(b, {"tbb", "openmp"});
  for (const unsigned w : b.workers()) {
    b.add(
        "ramie", w, row_no_stealing,
        [=] {
          ramie::options without = library_options(o, w);
          without.stealing = false;
          return run_ramie(without, n);
        },
        prepare);
  }
  b.note(
      fmt::format("us a step: {0} steps on {1} x {1} doubles in {2} strips; those of the middle third are computed {3} "
                  "times. control: rows shared out by work.",
                  n.steps, n.side, strips, heavy_times));
  if (!o.image_directory.empty()) b.note(fmt::format("pictures: {}/heat_*.png", o.image_directory));
  return b.take();
}

std::vector<bench::picture> pictures(const options& o) {
  const size n = size_at(o.scale());
  const std::vector<std::byte> png = heat::picture(n);
  return {{.caption = fmt::format("The grid after {} steps: black is cold, white is hot.", n.steps),
           .png = std::string(reinterpret_cast<const char*>(png.data()), png.size())}};
}

std::string why_no_images() {
  try {
    static_cast<void>(heat::picture({.side = 16, .steps = 0}));
    return {};
  } catch (const std::runtime_error& problem) {
    return problem.what();
  }
}

}  // namespace

suite heat_suite() {
  return {
      .name = "heat",
      .summary = "heat diffusion on a grid in strips of unequal work, a counter each step; with stealing and without",
      .make_plan = make_plan,
      .in_child = {},
      .text_after = {},
      .pictures = pictures,
      .why_no_images = why_no_images};
}

}  // namespace bench
