// Waiters of locks, and the two ways in which they wait.
#pragma once

#include <model/scenarios/one_deadline.hpp>
#include <model/scenarios/scenario.hpp>

#include <support/repetitions.hpp>

#include <ramie/scheduler/park_word.hpp>
#include <ramie/scheduler/wait_record.hpp>

namespace ramie::model::locks {

using deadline = one_deadline<work_item>;
using record = detail::wait_record<work_item, provider>;

// As a fiber it has left its stack, where `saved` is, before it may be woken.
struct waiter : work_item {
  waiter() : work_item(work_kind::thread) {}
  detail::park_word<provider> word;
  plain<int> saved = 0;
  plain<int> woken = 0;

  void park() {
    word.park();
    require(woken == 1, "goes on and was not woken");
    saved = 0;
    woken = 0;
  }
};

inline void go_on(work_item& item) {
  auto& woken = static_cast<waiter&>(item);
  require(woken.saved == 1, "woken before it had left its stack");
  require(woken.woken == 0, "woken twice");
  woken.woken = 1;
  woken.word.unpark();
}

// wait_in() of a fiber without limits.
template <class Object, class Node>
void wait_in(Object&& object, Node& mine, waiter& me) {
  mine.set_waiter(me);
  me.saved = 1;
  if (object.enqueue(mine)) {
    me.park();
  } else {
    me.saved = 0;
  }
}

// Between enqueue and withdraw, as wait_until().
inline wake_reason wait_for(record& mine, waiter& me, deadline& limit) {
  limit.set(mine);
  if (!mine.is_finished()) {
    me.saved = 1;
    if (mine.park()) {
      me.park();
    } else {
      me.saved = 0;
    }
  }
  limit.take_back();
  return mine.reason();
}

// wait_in() with a deadline.
template <class Object, class Node>
wake_reason wait_in(Object&& object, Node& mine, waiter& me, deadline& limit) {
  record of(me);
  mine.set_record(of);
  static_cast<void>(object.enqueue(mine));
  const wake_reason reason = wait_for(of, me, limit);
  if (reason != wake_reason::woken) object.withdraw(mine);
  return reason;
}

inline limits some_walks() {
  return {.how = search::walks, .walks = test::sanitized ? 1'000 : test::repetitions(20'000)};
}

}  // namespace ramie::model::locks
