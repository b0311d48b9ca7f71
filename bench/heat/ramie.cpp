#include <ramie/ramie.hpp>

#include <array>
#include <vector>

#include "heat/contenders.hpp"
#include "library/run.hpp"

namespace bench::heat {
namespace {

/// Step after step, each strip where it was computed last: that worker's caches have it. A worker that is faster for a
/// while steals strips of others, and has them from then on.
class relaxation {
 public:
  explicit relaxation(plate& hot) : m_hot(hot), m_shares(ramie::this_fiber::worker_count()) {
    for (std::size_t strip = 0; strip < strips; ++strip)
      m_last[strip] = static_cast<unsigned>(strip * m_shares.size() / strips);
  }

  /// One step; the calling fiber may be on another worker afterwards.
  void relax() {
    share_out();
    const unsigned mine = ramie::this_fiber::worker_index();
    for (unsigned w = 0; w < m_shares.size(); ++w) {
      const range share = m_shares[w];
      if (w != mine && share.size() != 0) ramie::spawn_with_counter(m_running, [this, share] { relax(share); });
    }
    if (m_shares[mine].size() != 0) relax(m_shares[mine]);
    ramie::wait_for_counter(m_running);
    ++m_step;
  }

 private:
  struct range {  // of m_order
    std::size_t begin = 0;
    std::size_t end = 0;
    [[nodiscard]] std::size_t size() const { return end - begin; }
  };

  // Before anything of the step is spawned, for that changes m_last.
  void share_out() {
    std::size_t end = 0;
    for (unsigned w = 0; w < m_shares.size(); ++w) {
      m_shares[w].begin = end;
      for (std::size_t strip = 0; strip < strips; ++strip) {
        if (m_last[strip] == w) m_order[end++] = strip;
      }
      m_shares[w].end = end;
    }
  }

  // Halves them until one is left: a thief takes half of what there is at once, and neighbours stay together.
  void relax(range some) {
    while (some.size() > 1) {
      const range later{.begin = some.begin + some.size() / 2, .end = some.end};
      ramie::spawn_with_counter(m_running, [this, later] { relax(later); });
      some.end = later.begin;
    }
    const std::size_t strip = m_order[some.begin];
    m_last[strip] = ramie::this_fiber::worker_index();
    m_hot.relax_strip(m_step, strip);
  }

  plate& m_hot;
  std::size_t m_step = 0;
  std::array<unsigned, strips> m_last{};      // the worker that computed it
  std::array<std::size_t, strips> m_order{};  // the strips of worker 0, then those of worker 1, …
  std::vector<range> m_shares;
  ramie::counter m_running;
};

}  // namespace

timed run_ramie(const ramie::options& o, const size& n) {
  plate hot(n);
  timed run = in_runtime(o, [&] {
    relaxation all(hot);
    const stopwatch watch;
    for (std::size_t step = 0; step < n.steps; ++step) all.relax();
    return watch.stop(n.steps);
  });
  return judged(std::move(run), n, hot.after(n.steps));
}

}  // namespace bench::heat
