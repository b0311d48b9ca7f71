#include "ablation/locked_pool/parts.hpp"

namespace bench::locked {
namespace {

// Never destroyed: a thread may wait for a task while the process ends.
union gate_parts {
  constexpr gate_parts() : all{} {}
  ~gate_parts() {}  // NOLINT(modernize-use-equals-default): that would be deleted
  struct {
    mutex lock;
    condition left;
  } all;
};
constinit gate_parts parts;

}  // namespace

mutex& gate::lock() { return parts.all.lock; }

void gate::leave(ending& at) {
  const hold gate_held(lock());
  if (--at.guests == 0) parts.all.left.wake_all();
}

void gate::wait_until_empty(ending& at) {
  const hold gate_held(lock());
  while (at.guests != 0) parts.all.left.wait(lock());
}

}  // namespace bench::locked
