// How forks become tasks: the steps of a worker with its own list of forks, and of a sleeper or a thief with another
// worker's list. Templates over the list, the lane and the gate, so that the model checker runs what the workers run.
//
// The owner answers all requests for the list when it locks it. Sleepers do not ask again, so their requests would be
// lost. After that the owner therefore looks whether a worker sleeps, and in that case asks itself in the sleeper's
// place. docs/memory-model.md has the proof.
#pragma once

#include <cstdint>

namespace ramie::detail {

/// The owner, after it has locked its list: asks itself for work if a worker sleeps.
template <class Forks, class Gate>
void want_for_sleepers(Forks& own, const Gate& gate) {
  if (gate.counts().sleeping() != 0) own.want();
}

/// The owner, where the list says that somebody may want work: calls offer(frame) for the oldest fork if so, unless an
/// earlier offer still lies in the lane. `joined` is the newest fork, to be unlinked, or null. False: `joined` has been
/// taken. `stealing`: others may take anything at all. notify() is [P2]–[P5] of sleep_gate.hpp.
template <class Forks, class Frame, class Lane, class Gate, class Offer, class Notify>
[[nodiscard]] bool answer_requests(Forks& own, Frame* joined, const Lane& lane, const Gate& gate, bool stealing,
                                   Offer&& offer, Notify&& notify) {
  bool ours = true;
  bool left = false;
  Frame* oldest = nullptr;
  {
    typename Forks::owner_lock list(own);
    if (joined != nullptr) ours = list.pop(*joined);
    // One at a time: all workers see an offer, and the next fork offers again.
    if (list.was_wanted() && stealing) {
      if (lane.stealable()) {
        left = true;
      } else {
        oldest = list.take_oldest();
      }
    }
  }
  // [Y1] full fence: an acquire, with [L4] of the list, of [L7], before the look for sleepers. Kept: models need no
  // more than an acquire, of which the provider has none.
  if (stealing) Forks::provider::fence_seq_cst();
  if (oldest != nullptr) offer(*oldest);
  // The look at the lane may be of a time when it was not empty yet: a sleeper that knows better sees what is in the
  // list when it is woken. Where somebody searches, or nobody sleeps, this does nothing.
  if (left && !own.empty()) notify();
  if (stealing) want_for_sleepers(own, gate);
  return ours;
}

/// The owner, whose fiber is about to leave it: push(frame) for each fork, the oldest first. The fiber may wait for the
/// result of one of them; and on the worker where it goes on they would be in the wrong list.
template <class Forks, class Gate, class Push>
void give_forks_away(Forks& own, const Gate& gate, bool stealing, Push&& push) {
  {
    typename Forks::owner_lock list(own);
    list.take_all(push);
  }
  if (stealing) Forks::provider::fence_seq_cst();  // [Y2] as [Y1], and Kept as that
  if (stealing) want_for_sleepers(own, gate);
}

/// A thief that has found nothing else of the victim's: asks, and looks for an offer of the victim's for a moment.
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
