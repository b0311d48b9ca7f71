// Not for users.
//
// What has failed in a scope, in the order in which it came.
#pragma once

#include <cstddef>
#include <exception>
#include <utility>

namespace ramie::detail {

/// The first failure needs no memory. Of a later one without memory only the number is kept. A failure that is there
/// already, since a handle's join() has thrown it again, is not kept twice (beyond a thousand: perhaps).
class failure_list {
 public:
  failure_list() = default;
  failure_list(const failure_list&) = delete;
  failure_list& operator=(const failure_list&) = delete;
  ~failure_list();

  void add(std::exception_ptr failure) noexcept;
  [[nodiscard]] std::size_t size() const { return m_count; }
  [[nodiscard]] std::size_t lost() const { return m_lost; }
  /// There is one.
  [[nodiscard]] const std::exception_ptr& first() const { return m_first; }
  /// Calls each(failure) for all that are kept.
  template <class Each>
  void for_each(Each&& each) const {
    if (m_count != 0) each(m_first);
    for (const node* at = m_others; at != nullptr; at = at->next) each(at->failure);
  }

 private:
  [[nodiscard]] bool has(const std::exception_ptr& failure) const noexcept;

  struct node {
    std::exception_ptr failure;
    node* next;
  };
  std::exception_ptr m_first;
  node* m_others = nullptr;
  node* m_last = nullptr;
  std::size_t m_count = 0;
  std::size_t m_lost = 0;
};

}  // namespace ramie::detail
