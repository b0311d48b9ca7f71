// Makes the deques of a runtime's workers, where another kind than the default was chosen.
#pragma once

#include <ramie/queue/kind.hpp>
#include <ramie/scheduler/task_deque.hpp>

#include <memory>

namespace ramie::detail {

/// The queues that the workers of one runtime hold besides the default: all of one kind; they may share something.
class deque_maker {
 public:
  /// Throws bad_option if the settings make no queue of this kind.
  deque_maker(queue::kind which, const queue::settings& chosen);
  ~deque_maker();
  deque_maker(const deque_maker&) = delete;
  deque_maker& operator=(const deque_maker&) = delete;

  static constexpr queue::kind by_value = queue::kind::split;

  /// Null: the kind that is held by value. Throws std::bad_alloc.
  [[nodiscard]] std::unique_ptr<other_deque> make();

 private:
  struct others;
  std::unique_ptr<others> m_others;
};

}  // namespace ramie::detail
