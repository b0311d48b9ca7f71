#include <ramie/queue/work_queue.hpp>

#include "queues/contenders.hpp"
#include "queues/encounter.hpp"
#include "queues/with_queue.hpp"

namespace bench::queues {

outcome run_ramie(ramie::queue::kind which, const ramie::queue::settings& chosen, unsigned bytes, const setup& how) {
  const auto run = [&how](auto& queue) { return encounter(queue, how); };
  if (bytes == sizeof(std::uint32_t)) return with_queue<std::uint32_t>(which, chosen, run);
  return with_queue<std::uint64_t>(which, chosen, run);
}

}  // namespace bench::queues
