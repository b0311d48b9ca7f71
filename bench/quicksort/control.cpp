#include <memory>
#include <vector>

#include "kernel/rendezvous.hpp"
#include "kernel/static_threads.hpp"
#include "quicksort/contenders.hpp"

namespace bench::quicksort {
namespace {

/// The parts of the threads, as they are handed on.
class parts {
 public:
  parts(unsigned threads, std::size_t cutoff) : m_cutoff(cutoff) {
    for (unsigned i = 0; i < threads; ++i) m_parts.push_back(std::make_unique<part>());
  }

  void give(unsigned thread, const slice& what, unsigned until) {
    m_parts[thread]->what = what;
    m_parts[thread]->until = until;
    m_parts[thread]->here.arrive();
  }

  /// The work of `thread`: it waits for its part, which is for the threads from itself to `until`. Then it hands half
  /// of the part to the first of the upper half of those threads, until it is alone.
  void work(unsigned thread) {
    m_parts[thread]->here.wait();
    slice mine = m_parts[thread]->what;
    unsigned until = m_parts[thread]->until;
    while (until - thread > 1) {
      const unsigned other = thread + (until - thread + 1) / 2;
      if (mine.size > m_cutoff) {
        const auto [first, second] = partition(mine);
        give(other, second, until);
        mine = first;
      } else {
        give(other, {mine.data, 0}, until);
      }
      until = other;
    }
    static_cast<void>(sort_serially(mine, m_cutoff));
  }

 private:
  struct part {
    rendezvous here{1};
    slice what{};
    unsigned until = 0;
  };

  std::size_t m_cutoff;
  std::vector<std::unique_ptr<part>> m_parts;
};

}  // namespace

timed run_plain_call(const problem& p) {
  huge_array<item> items = copy_of(p);
  const stopwatch watch;
  static_cast<void>(sort_serially(all_of(items), p.n.cutoff));
  return judged(watch.stop(p.n.items), p, items);
}

timed run_control(unsigned workers, const problem& p) {
  huge_array<item> items = copy_of(p);
  parts handed(workers, p.n.cutoff);
  timed run = on_static_threads(
      workers, p.n.items, [&] { handed.give(0, all_of(items), workers); },
      [&](unsigned thread) { handed.work(thread); });
  return judged(std::move(run), p, items);
}

}  // namespace bench::quicksort
