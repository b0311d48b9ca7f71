// How forks become tasks: what a worker does with its own list of forks, a sleeper and a thief with those of others.
// Templates over the list, the lane and the gate, so that the model checker runs what the workers run.
//
// Whoever holds a list settles all requests for it, those of sleepers too, who will not ask again. So a hold of the
// owner's is followed by a look at who sleeps, and in their place the owner asks itself. docs/memory-model.md has the
// proof.
#pragma once

#include <cstdint>

namespace ramie::detail {

/// The owner, after a hold: asks itself for what the sleepers had asked for.
template <class Forks, class Gate>
void want_for_sleepers(Forks& own, const Gate& gate) {
  if (gate.counts().sleeping() != 0) own.want();
}

/// The owner, where the list says that somebody may want work: calls offer(frame) for the oldest fork if so, unless
/// what was offered before still lies in the lane. `joined` is the newest, to be unlinked, or null. False: it has been
/// taken. `stealing`: others may take anything at all. notify() is [P2]–[P5] of sleep_gate.hpp.
template <class Forks, class Frame, class Lane, class Gate, class Offer, class Notify>
[[nodiscard]] bool settle_forks(Forks& own, Frame* joined, const Lane& lane, const Gate& gate, bool stealing,
                                Offer&& offer, Notify&& notify) {
  bool ours = true;
  bool left = false;
  Frame* oldest = nullptr;
  {
    typename Forks::hold held(own);
    if (joined != nullptr) ours = held.pop(*joined);
    // One at a time: what is offered is seen by all, and the next fork offers again.
    if (held.was_wanted() && stealing) {
      if (lane.stealable()) {
        left = true;
      } else {
        oldest = held.take_oldest();
      }
    }
  }
  // [Y1] full fence: an acquire, with [L4] of the list, of [L7], before the looks at who sleeps. Kept: models need no
  // more than an acquire, of which the provider has none.
  if (stealing) Forks::provider::fence_seq_cst();
  if (oldest != nullptr) offer(*oldest);
  // The look at the lane may be of a time when it was not empty yet: a sleeper that knows better sees what is in the
  // list when it is woken. Where somebody searches, or nobody sleeps, this does nothing.
  if (left && !own.empty()) notify();
  if (stealing) want_for_sleepers(own, gate);
  return ours;
}

/// The owner, whose fiber is about to leave it: push(frame) for each fork, the oldest first. What the fiber waits for
/// may be in one of them; and wherever it goes on, they would be in the wrong list.
template <class Forks, class Gate, class Push>
void give_forks_away(Forks& own, const Gate& gate, bool stealing, Push&& push) {
  {
    typename Forks::hold held(own);
    held.take_all(push);
  }
  if (stealing) Forks::provider::fence_seq_cst();  // [Y2] as [Y1], and Kept as that
  if (stealing) want_for_sleepers(own, gate);
}

/// A thief, where it has found nothing else of the victim's: asks, and looks for what the victim offers for a moment.
/// Where it or others have done so in vain `patience` times, it takes the oldest fork itself, by a membarrier, and
/// make(frame) is called before the victim can know. Returns what steal_queued() or make() does; null if nothing.
template <class Forks, class Lane, class StealQueued, class Make>
auto steal_fork(Forks& of_victim, const Lane& lane_of_victim, int patience, int pauses, StealQueued&& steal_queued,
                Make&& make) -> decltype(steal_queued()) {
  if (of_victim.look_in_vain() < static_cast<std::uint32_t>(patience)) {
    of_victim.want();
    for (int i = pauses; i > 0; --i) {
      Forks::provider::pause();
      if (lane_of_victim.stealable()) return steal_queued();
    }
    return nullptr;
  }
  decltype(steal_queued()) made = nullptr;
  static_cast<void>(of_victim.steal_oldest([&](auto& oldest) { made = make(oldest); }));
  return made;
}

}  // namespace ramie::detail
