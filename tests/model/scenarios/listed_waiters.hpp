// Waiters as wait_in.hpp makes them, for scenarios of objects that keep them in a wait_list.
#pragma once

#include <model/scenarios/one_deadline.hpp>
#include <model/scenarios/scenario.hpp>

#include <ramie/scheduler/park_word.hpp>
#include <ramie/sync/wait_list.hpp>

#include <memory>

namespace ramie::model::listed {

// As a fiber it has left its stack, where `saved` is, before it may be woken.
struct waiter : work_item {
  waiter() : work_item(work_kind::thread) {}
  detail::park_word<provider> word;
  plain<int> saved = 0;
  plain<int> woken = 0;
};

inline void go_on(work_item& item) {
  auto& woken = static_cast<waiter&>(item);
  require(woken.saved == 1, "woken before it had left its stack");
  require(woken.woken == 0, "woken twice");
  woken.woken = 1;
  woken.word.unpark();
}

using node = detail::wait_node<provider>;
using record = node::record_type;
using deadline = one_deadline<work_item>;

// As wait_in() without limits. The node is gone when the wait has returned.
template <class Node = node, class Object, class... Arguments>
void wait(Object& object, waiter& me, Arguments... arguments) {
  const auto mine = std::make_unique<Node>(arguments...);
  mine->set_waiter(me);
  me.saved = 1;
  if (object.enqueue(*mine)) me.word.park();
}

// As wait_until().
template <class Node = node, class Object, class... Arguments>
wake_reason wait(Object& object, waiter& me, deadline& limit, Arguments... arguments) {
  const auto mine = std::make_unique<Node>(arguments...);
  const auto of = std::make_unique<record>(me);
  mine->set_record(*of);
  limit.set(*of);
  static_cast<void>(object.enqueue(*mine));
  me.saved = 1;
  if (of->park()) me.word.park();
  limit.take_back();
  const wake_reason reason = of->reason();
  if (reason != wake_reason::woken) object.withdraw(*mine);
  return reason;
}

}  // namespace ramie::model::listed
