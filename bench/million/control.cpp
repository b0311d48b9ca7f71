#include <barrier>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <sys/mman.h>
#include <thread>

#include "million/contenders.hpp"
#include "million/problem.hpp"

namespace bench::million {
namespace {

/// One reservation; a page of each stack will be touched.
class stacks {
 public:
  explicit stacks(std::size_t count) : m_bytes(count * stack_bytes) {
    void* const start =
        mmap(nullptr, m_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED) {
      throw std::runtime_error(fmt::format("cannot reserve {} bytes: {}", m_bytes, std::strerror(errno)));
    }
    m_start = static_cast<char*>(start);
    // A huge page would hold 32 stacks of which each uses one page.
    madvise(start, m_bytes, MADV_NOHUGEPAGE);
  }
  ~stacks() { munmap(m_start, m_bytes); }
  stacks(const stacks&) = delete;
  stacks& operator=(const stacks&) = delete;

  void touch(std::size_t id) {
    volatile char* const top = m_start + (id + 1) * stack_bytes - 1;
    *top = 1;
  }

 private:
  std::size_t m_bytes;
  char* m_start = nullptr;
};

}  // namespace

std::vector<sample> run_control(unsigned threads, std::size_t count) {
  stacks memory(count);
  const auto wave = [&](wave_meter& meter, marks& all, std::uint32_t number) {
    // Twice: when all is touched, and when the memory has been looked at.
    std::barrier meeting(static_cast<std::ptrdiff_t>(threads) + 1);
    std::vector<std::thread> team;
    for (unsigned t = 0; t < threads; ++t) {
      team.emplace_back([&, t] {
        const std::size_t begin = count * t / threads;
        const std::size_t end = count * (t + 1) / threads;
        for (std::size_t id = begin; id < end; ++id) memory.touch(id);
        meeting.arrive_and_wait();
        meeting.arrive_and_wait();
        for (std::size_t id = begin; id < end; ++id) all.set(id, number);
      });
    }
    meeting.arrive_and_wait();
    meter.all_blocked();
    meeting.arrive_and_wait();
    for (std::thread& thread : team) thread.join();
    meter.finish();
  };
  return measure(count, wave, [](statistics&) {});
}

}  // namespace bench::million
