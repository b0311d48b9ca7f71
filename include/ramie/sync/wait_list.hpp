// Not for users.
//
// The waiters of an object, in the order in which they came. The object's lock guards the list.
//
// A waiter brings a node on its own stack. A waiter that waits for this object alone, without limits, stands there by
// itself; every other one with its record (wait_record.hpp), of which the node is an arm. The object takes a node out
// and decides its wait under the lock, and wakes the waiter when it has given the lock up:
//
//     woken_waiters woken;
//     while (there is something to give) {
//       wait_node* next = list.pop_claimed();     // skips the waits that are over for another reason
//       ...                                       // gives it to *next
//       woken.add(*next);
//     }
//     unlock
//     woken.wake_each();
//
// A waiter whose wait has ended for another reason takes its node back under the lock: list.remove().
#pragma once

#include <ramie/base/provider.hpp>
#include <ramie/scheduler/wait_record.hpp>
#include <ramie/scheduler/work_item.hpp>

namespace ramie::detail {

template <class Provider = native_provider>
class wait_node {
  template <class T>
  using plain = typename Provider::template plain<T>;

 public:
  using record_type = wait_record<work_item, Provider>;

  wait_node() = default;
  wait_node(const wait_node&) = delete;
  wait_node& operator=(const wait_node&) = delete;

  /// One of the two, by the waiter, before the node is enqueued. A waiter without a record has left its stack.
  void set_waiter(work_item& waiter) { m_waiter = &waiter; }
  void set_record(record_type& of) { m_record = &of; }

  /// The waiter, with the object's lock, where the object has at once what it came for. False: its wait is over for
  /// another reason, and it must get nothing.
  [[nodiscard]] bool claim_at_once() {
    if (!claim()) return false;
    if (m_record != nullptr) static_cast<void>(m_record->finish());  // null: the waiter runs
    return true;
  }

  /// The same where the object has another waiter, which is in its list, to meet: decides both waits or neither.
  [[nodiscard]] typename record_type::both claim_with(wait_node& other) {
    if (other.m_record == nullptr) return claim_at_once() ? record_type::both::claimed : record_type::both::not_mine;
    if (m_record == nullptr) return other.claim() ? record_type::both::claimed : record_type::both::not_other;
    const auto decided = record_type::claim_both(*m_record, *other.m_record);
    if (decided == record_type::both::claimed) {
      m_claimed = true;
      other.m_claimed = true;
      static_cast<void>(m_record->finish());  // as above
    }
    return decided;
  }

  /// Whether both are arms of one wait, which does not meet itself.
  [[nodiscard]] bool is_of_same_wait(const wait_node& other) const {
    return m_record != nullptr && m_record == other.m_record;
  }

  /// With the object's lock. False: the wait is over for another reason.
  [[nodiscard]] bool claim() {
    if (m_record == nullptr) return true;
    if (!m_record->claim(wake_reason::woken)) return false;
    m_claimed = true;
    return true;
  }

  /// The waiter, when its wait is over: whether it was this node, with a record, that its object has given something
  /// to.
  [[nodiscard]] bool is_claimed() const { return m_claimed; }

  /// With the object's lock, where the wait begins again after it was withdrawn: whether the object has had something
  /// for it meanwhile, when it was over for another reason.
  [[nodiscard]] bool was_passed() const { return m_was_passed; }

  /// After claim(), or claim_with() of another node, without the lock: the waiter may go on, and the node is gone.
  template <class Wake>
  void finish(Wake&& wake) {
    work_item* const sleeper = m_record == nullptr ? m_waiter : m_record->finish();
    if (sleeper != nullptr) wake(*sleeper);
  }

 private:
  template <class>
  friend class wait_list;
  template <class>
  friend class woken_waiters;

  work_item* m_waiter = nullptr;
  record_type* m_record = nullptr;
  plain<bool> m_claimed = false;  // by the first claimant
  // With the lock of the list's object:
  plain<bool> m_linked = false;
  plain<bool> m_was_passed = false;
  plain<wait_node*> m_next = nullptr;  // in the list; then in woken_waiters
  plain<wait_node*> m_previous = nullptr;
};

template <class Provider = native_provider>
class wait_list {
  template <class T>
  using plain = typename Provider::template plain<T>;

 public:
  using node = wait_node<Provider>;

  constexpr wait_list() = default;
  wait_list(const wait_list&) = delete;
  wait_list& operator=(const wait_list&) = delete;

  [[nodiscard]] bool empty() const { return m_first == nullptr; }
  [[nodiscard]] node* first() const { return m_first; }
  [[nodiscard]] node* behind(const node& of) const { return of.m_next; }

  void push_back(node& last) {
    node* const before = m_last;
    last.m_linked = true;
    last.m_previous = before;
    last.m_next = nullptr;
    if (before != nullptr) {
      before->m_next = &last;
    } else {
      m_first = &last;
    }
    m_last = &last;
  }

  /// For a waiter that has been at the front before.
  void push_front(node& first) {
    node* const behind = m_first;
    first.m_linked = true;
    first.m_previous = nullptr;
    first.m_next = behind;
    if (behind != nullptr) {
      behind->m_previous = &first;
    } else {
      m_last = &first;
    }
    m_first = &first;
  }

  /// Does nothing where the node is in no list.
  void remove(node& gone) {
    if (!gone.m_linked) return;
    node* const before = gone.m_previous;
    node* const behind = gone.m_next;
    if (before != nullptr) {
      before->m_next = behind;
    } else {
      m_first = behind;
    }
    if (behind != nullptr) {
      behind->m_previous = before;
    } else {
      m_last = before;
    }
    gone.m_linked = false;
  }

  /// Takes out the first whose wait this decides, and on the way those whose waits are over; null if there is none.
  [[nodiscard]] node* pop_claimed() {
    for (node* each = m_first; each != nullptr; each = m_first) {
      remove(*each);
      if (each->claim()) return each;
      each->m_was_passed = true;
    }
    return nullptr;
  }

 private:
  plain<node*> m_first = nullptr;
  plain<node*> m_last = nullptr;
};

/// Waiters that are taken out of lists and decided, to be woken without the lock, in the order in which they came.
template <class Provider = native_provider>
class woken_waiters {
 public:
  using node = wait_node<Provider>;

  [[nodiscard]] bool empty() const { return m_first == nullptr; }
  void add(node& last) {
    last.m_next = nullptr;
    if (m_last != nullptr) {
      m_last->m_next = &last;
    } else {
      m_first = &last;
    }
    m_last = &last;
  }
  /// wake(waiter) for those that sleep.
  template <class Wake>
  void wake_each(Wake&& wake) {
    for (node* each = m_first; each != nullptr;) {
      node* const next = each->m_next;
      each->finish(wake);
      each = next;
    }
  }

 private:
  node* m_first = nullptr;
  node* m_last = nullptr;
};

}  // namespace ramie::detail
