// The channel: an item is with exactly one party, whatever meets, and its waiters are woken once. Its lock, which a
// worker may own. The counts of its handles.
#include <model/scenarios/one_deadline.hpp>
#include <model/scenarios/scenario.hpp>

#include <ramie/scheduler/park_word.hpp>
#include <ramie/sync/biased_lock.hpp>
#include <ramie/sync/channel_core.hpp>
#include <ramie/sync/channel_end_counts.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace ramie::model {
namespace {

struct item {
  explicit item(int of) : value(of) {}
  item(item&& other) noexcept : value(std::as_const(other.value)) { other.value = 0; }
  item& operator=(item&&) = delete;
  plain<int> value;  // 0: moved from
};

struct ideal {
  enum class held : std::uint8_t { yes };
  held lock() {
    m_lock.lock();
    return held::yes;
  }
  void unlock(held /*how*/) { m_lock.unlock(); }
  lock_of<provider> m_lock;
};

using core = detail::channel_core<item, ideal, provider>;
using record = detail::wait_record<work_item, provider>;
using deadline = one_deadline<work_item>;

// As a fiber it has left its stack, where `saved` is, before it may be woken.
struct waiter : work_item {
  waiter() : work_item(work_kind::thread) {}
  detail::park_word<provider> word;
  plain<int> saved = 0;
  plain<int> woken = 0;

  // Of a wait with a record: until that is over.
  void sleep(record& of) {
    saved = 1;
    if (of.park()) word.park();
  }
};

void go_on(work_item& of) {
  auto& woken = static_cast<waiter&>(of);
  require(woken.saved == 1, "woken before it had left its stack");
  require(woken.woken == 0, "woken twice");
  woken.woken = 1;
  woken.word.unpark();
}

// The waits, as channel and select make them. Frames outlive no wait, and are where the checker sees them used too
// late.
struct receive_frame {
  std::optional<item> into;
  core::receiving mine{into};
};
struct send_frame {
  explicit send_frame(int of) : mine_item(of) {}
  item mine_item;
  core::sending mine{mine_item};
  // What came of it: an item that was not sent is still here.
  channel_status checked(channel_status how, int number) const {
    require(std::as_const(mine_item.value) == (how == channel_status::done ? 0 : number),
            "an item is with two, or none");
    return how;
  }
};

// 0: none came.
int receive(core& of, waiter& me) {
  const auto frame = std::make_unique<receive_frame>();
  if (!of.may_receive() || of.try_receive(frame->into, &go_on) == channel_status::empty) {
    me.saved = 1;
    frame->mine.set_waiter(me);
    if (of.enqueue(frame->mine, &go_on)) me.word.park();
    require(frame->into.has_value() == (frame->mine.status() == channel_status::done), "done without an item");
  }
  return frame->into ? int(frame->into->value) : 0;
}

channel_status send(core& of, int number, waiter& me) {
  const auto frame = std::make_unique<send_frame>(number);
  if (of.may_send()) {
    const channel_status how = of.try_send(frame->mine_item, &go_on);
    if (how != channel_status::full) return frame->checked(how, number);
  }
  me.saved = 1;
  frame->mine.set_waiter(me);
  if (of.enqueue(frame->mine, &go_on)) me.word.park();
  return frame->checked(frame->mine.status(), number);
}

int receive_or_give_up(core& of, waiter& me, deadline& limit) {
  const auto frame = std::make_unique<receive_frame>();
  const auto mine = std::make_unique<record>(me);
  frame->mine.set_record(*mine);
  limit.set(*mine);
  static_cast<void>(of.enqueue(frame->mine, &go_on));
  me.sleep(*mine);
  limit.take_back();
  if (!frame->mine.is_claimed()) of.withdraw(frame->mine);
  require((mine->reason() == wake_reason::woken) == frame->mine.is_claimed(), "an item for a wait that is over");
  return frame->into ? int(frame->into->value) : 0;
}

channel_status send_or_give_up(core& of, int number, waiter& me, deadline& limit) {
  const auto frame = std::make_unique<send_frame>(number);
  const auto mine = std::make_unique<record>(me);
  frame->mine.set_record(*mine);
  limit.set(*mine);
  static_cast<void>(of.enqueue(frame->mine, &go_on));
  me.sleep(*mine);
  limit.take_back();
  if (!frame->mine.is_claimed()) of.withdraw(frame->mine);
  return frame->checked(frame->mine.is_claimed() ? frame->mine.status() : channel_status::timed_out, number);
}

struct select_result {
  bool sent = false;
  int received = 0;
};
// A select of a send to one channel and a receive from another one.
select_result send_or_receive(core& to, int number, core& from, waiter& me, bool receive_first) {
  const auto out = std::make_unique<send_frame>(number);
  const auto in = std::make_unique<receive_frame>();
  const auto mine = std::make_unique<record>(me);
  out->mine.set_record(*mine);
  in->mine.set_record(*mine);
  if (receive_first) {
    static_cast<void>(from.enqueue(in->mine, &go_on) && to.enqueue(out->mine, &go_on));
  } else {
    static_cast<void>(to.enqueue(out->mine, &go_on) && from.enqueue(in->mine, &go_on));
  }
  me.sleep(*mine);
  require(out->mine.is_claimed() != in->mine.is_claimed(), "a select has done both, or nothing");
  if (!out->mine.is_claimed()) to.withdraw(out->mine);
  if (!in->mine.is_claimed()) from.withdraw(in->mine);
  select_result made;
  made.sent =
      out->checked(out->mine.is_claimed() ? out->mine.status() : channel_status::full, number) == channel_status::done;
  made.received = in->into ? int(in->into->value) : 0;
  return made;
}

struct caller {
  static inline const void* now = nullptr;
  static const void* id() { return now; }
  static constexpr std::uint32_t patience = 1;
};

constexpr limits many_preemptions{.how = search::bounded, .preemptions = 3, .old_values = 1};

scenario rendezvous(std::size_t capacity) {
  return {"an item, and the end of the channel, capacity " + std::to_string(capacity), [capacity] {
            auto of = std::make_optional<core>(capacity);
            waiter sender, receiver;
            threads([&] { require(send(*of, 1, sender) == channel_status::done, "refused"); },
                    [&] {
                      require(receive(*of, receiver) == 1, "not what was sent");
                      of.reset();
                    });
          }};
}

}  // namespace

subject channel_subject() {
  return {"sync/channel_core.hpp",
          {rendezvous(0),
           rendezvous(1),
           rendezvous(detail::unbounded_channel),
           {"two senders, one place",
            [] {
              core of(1);
              waiter first, second, receiver;
              int got = 0;
              threads([&] { require(send(of, 1, first) == channel_status::done, "refused"); },
                      [&] { require(send(of, 2, second) == channel_status::done, "refused"); },
                      [&] {
                        got = receive(of, receiver);
                        receiver.woken = 0;
                        got += receive(of, receiver);
                      });
              require(got == 3 && !of.has_waiters(), "lost");
            },
            many_preemptions},
           {"close against send",
            [] {
              core of(0);
              waiter sender, receiver;
              channel_status sent = channel_status::full;
              int got = 0;
              threads([&] { sent = send(of, 1, sender); }, [&] { got = receive(of, receiver); },
                      [&] { of.close(&go_on); });
              require((sent == channel_status::done) == (got == 1), "lost");
            },
            many_preemptions},
           {"close against a send into a buffer",
            [] {
              core of(1);
              waiter sender, receiver;
              channel_status sent = channel_status::full;
              threads([&] { sent = send(of, 1, sender); }, [&] { of.close(&go_on); });
              require((receive(of, receiver) == 1) == (sent == channel_status::done), "lost");
              require(receive(of, receiver) == 0, "twice");
            }},
           {"a timeout against a rendezvous",
            [] {
              core of(0);
              waiter sender, receiver;
              deadline limit;
              int got = 0;
              channel_status sent = channel_status::full;
              threads([&] { got = receive_or_give_up(of, receiver, limit); }, [&] { limit.expire(&go_on); },
                      [&] {
                        item mine(1);
                        sent = of.try_send(mine, &go_on);
                        of.close(&go_on);  // the deadline may have come before the wait
                      });
              require((sent == channel_status::done) == (got == 1), "lost");
              require(!of.has_waiters(), "an arm was left behind");
            },
            many_preemptions},
           {"a timeout of the sender",
            [] {
              core of(0);
              waiter sender, receiver;
              deadline limit;
              std::optional<item> got;
              channel_status sent = channel_status::full;
              threads([&] { sent = send_or_give_up(of, 1, sender, limit); }, [&] { limit.expire(&go_on); },
                      [&] {
                        static_cast<void>(of.try_receive(got, &go_on));
                        of.close(&go_on);
                      });
              require((sent == channel_status::done) == got.has_value(), "lost");
              require(!of.has_waiters(), "an arm was left behind");
            },
            many_preemptions},
           {"two selects that meet on both sides",
            [] {
              core left(0), right(0);
              waiter one, other;
              select_result a, b;
              threads([&] { a = send_or_receive(left, 1, right, one, false); },
                      [&] { b = send_or_receive(right, 2, left, other, false); });
              require(a.sent != b.sent, "both have sent, or none");
              require(a.sent ? b.received == 1 : a.received == 2, "lost");
              require(!left.has_waiters() && !right.has_waiters(), "an arm was left behind");
            },
            many_preemptions},
           {"two selects, each with both sides of one channel",
            [] {
              core of(0);
              waiter one, other;
              select_result a, b;
              threads([&] { a = send_or_receive(of, 1, of, one, false); },
                      [&] { b = send_or_receive(of, 2, of, other, true); });
              require(a.sent != b.sent, "both have sent, or none");
              require(a.sent ? b.received == 1 : a.received == 2, "lost");
            },
            many_preemptions},
           {"a select against close", [] {
              core left(0), right(0);
              waiter one;
              select_result a;
              threads([&] { a = send_or_receive(left, 1, right, one, false); }, [&] { right.close(&go_on); });
              require(!a.sent && a.received == 0, "something from nowhere");
              require(!left.has_waiters(), "an arm was left behind");
            }}}};
}

subject biased_lock_subject() {
  struct guarded {
    detail::biased_lock<caller, provider> lock;
    plain<int> count = 0;
    void add(const void* as) {
      caller::now = as;  // the lock asks before anything else, and no other thread runs in between
      const auto how = lock.lock();
      count = count + 1;
      lock.unlock(how);
    }
  };
  static const int worker[2] = {};
  return {"sync/biased_lock.hpp",
          {{"an owner, and another thread",
            [] {
              guarded of;
              for (int i = 0; i < 2; ++i) of.add(&worker[0]);
              threads(
                  [&] {
                    of.add(&worker[0]);
                    of.add(&worker[0]);
                  },
                  [&] { of.add(nullptr); });
              require(of.count == 5, "lost");
            }},
           {"an owner, and two others",
            [] {
              guarded of;
              for (int i = 0; i < 2; ++i) of.add(&worker[0]);
              threads([&] { of.add(&worker[0]); }, [&] { of.add(&worker[1]); }, [&] { of.add(nullptr); });
              require(of.count == 5, "lost");
            }},
           {"nobody owns it",
            [] {
              guarded of;
              threads([&] { of.add(nullptr); }, [&] { of.add(nullptr); });
              require(of.count == 2, "lost");
            }},
           {"one becomes the owner beside another", [] {
              guarded of;
              threads(
                  [&] {
                    of.add(&worker[0]);
                    of.add(&worker[0]);
                    of.add(&worker[0]);
                  },
                  [&] { of.add(&worker[1]); });
              require(of.count == 4, "lost");
            }}}};
}

subject channel_end_counts_subject() {
  return {"sync/channel_end_counts.hpp",
          {{"the last sender against a receive",
            [] {
              struct shared {
                core of{0};
                detail::channel_end_counts<provider> counts;
                plain<int> alive = 1;
              };
              shared both;
              waiter receiver;
              const auto drop = [&](bool sends) {
                if (both.counts.drop(sends, [&] { both.of.close(&go_on); })) both.alive = 0;
              };
              threads([&] { drop(true); },
                      [&] {
                        require(receive(both.of, receiver) == 0, "from nowhere");
                        drop(false);
                      });
              require(both.alive == 0, "nobody was the last");
            }},
           {"two senders and a receiver",
            [] {
              detail::channel_end_counts<provider> counts;
              plain<int> uses[3] = {0, 0, 0};
              plain<int> closed = 0;
              plain<int> ended = 0;
              counts.add(true);
              const auto drop = [&](int who) {
                uses[who] = 1;
                const bool last = counts.drop(who != 2, [&] {
                  if (who != 2) {
                    require(uses[0] == 1 && uses[1] == 1, "closed too early");
                    closed = 1;
                  }
                });
                if (!last) return;
                require(uses[0] == 1 && uses[1] == 1 && uses[2] == 1 && closed == 1, "the end came too early");
                ended = ended + 1;
              };
              threads([&] { drop(0); }, [&] { drop(1); }, [&] { drop(2); });
              require(ended == 1, "not ended once");
            }},
           {"a handle that comes and goes", [] {
              detail::channel_end_counts<provider> counts;
              plain<int> closed = 0;
              counts.add(true);
              const auto drop = [&] { static_cast<void>(counts.drop(true, [&] { closed = closed + 1; })); };
              threads(
                  [&] {
                    counts.add(true);
                    drop();
                    drop();
                  },
                  [&] { drop(); });
              require(closed == 1, "not closed once");
            }}}};
}

}  // namespace ramie::model
