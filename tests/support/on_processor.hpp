// For threads that are to run at the same time on a machine that has others to serve.
#pragma once

#include <ramie/topology/affinity.hpp>

#include <cstddef>
#include <vector>

namespace ramie::test {

/// While it lives, the calling thread runs on one processor: on the which-th of those that it may use, counted around.
/// Two threads of which each has its own meet now and then, however busy the machine is; otherwise the kernel may leave
/// both on one for seconds.
class on_processor {
 public:
  explicit on_processor(std::size_t which) {
    const std::vector<unsigned> all = topology::allowed_cpus();
    static_cast<void>(topology::pin_current_thread(all[which % all.size()]));
  }
  on_processor(const on_processor&) = delete;
  on_processor& operator=(const on_processor&) = delete;

 private:
  topology::affinity_guard m_before;
};

}  // namespace ramie::test
