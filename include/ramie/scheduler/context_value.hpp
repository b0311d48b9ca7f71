// Values that are in force for a while: for the calls made meanwhile, and for the fibers that these spawn in scopes.
#pragma once

#include <ramie/base/provider.hpp>
#include <ramie/scheduler/surroundings.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

namespace ramie {

namespace detail {

/// A value and the older ones, which stay as they are: fibers on several workers share them.
struct bound_value {
  using destroyer = void (*)(bound_value*) noexcept;
  bound_value(const void* of, const bound_value* before, destroyer end) : key(of), older(before), destroy(end) {}

  const void* const key;
  const bound_value* const older;  // counted; null: none
  const destroyer destroy;
  mutable native_provider::atomic<std::uint32_t> owners{1};
};

/// Both do nothing where there is none.
inline const bound_value* also_own(const bound_value* shared) {
  if (shared != nullptr) shared->owners.fetch_add(1, std::memory_order_relaxed);  // relaxed: the caller has it
  return shared;
}
void give_up(const bound_value* owned) noexcept;

/// The newest value of that key; null: none.
[[nodiscard]] const bound_value* find_bound(const void* key) noexcept;

}  // namespace detail

/// A value that is bound for a while, by any fiber or thread, and seen from there: by what it calls, by scopes that it
/// opens, and by the fibers that these spawn. Plain ramie::spawn(), jobs and forks that another worker takes begin
/// without values, as they begin without a scope. For what belongs to a request and is in no function's arguments: a
/// trace id, a logger.
///
///     inline const context_value<std::string> trace_id;
///
///     const auto bound = trace_id.bind("4711");
///     with_scope([](scope& s) { s.spawn([] { log(*trace_id.get()); }); });
template <class T>
class context_value {
  struct node : detail::bound_value {
    template <class Argument>
    node(const void* key, const bound_value* before, Argument&& argument)
        : bound_value(key, before, [](bound_value* of) noexcept { delete static_cast<node*>(of); }),
          value(std::forward<Argument>(argument)) {
      detail::also_own(before);  // when nothing is thrown any more
    }
    const T value;
  };

 public:
  context_value() = default;
  context_value(const context_value&) = delete;  // values know it by its address
  context_value& operator=(const context_value&) = delete;

  /// While it lives the value is bound. To be destroyed where it was made, in reverse order. The value itself lives
  /// until the last fiber has ended that began with it.
  class [[nodiscard("the value is bound while this lives")]] binding {
   public:
    template <class Argument>
    binding(const context_value& of, Argument&& argument)
        : m_node(new node(&of, detail::surrounded::current().values, std::forward<Argument>(argument))),
          m_within(with(m_node)) {}
    binding(const binding&) = delete;
    binding& operator=(const binding&) = delete;
    ~binding() = default;

   private:
    static detail::surroundings with(const node* newest) {
      detail::surroundings within = detail::surrounded::current();
      within.values = newest;
      return within;
    }

    struct owner {
      explicit owner(const node* fresh) : value(fresh) {}
      owner(const owner&) = delete;
      owner& operator=(const owner&) = delete;
      ~owner() { detail::give_up(value); }
      operator const node*() const { return value; }  // NOLINT(google-explicit-constructor)
      const node* const value;
    };
    const owner m_node;
    const detail::surrounded m_within;
  };

  /// Throws std::bad_alloc, and what T's constructor throws.
  template <class Argument>
  [[nodiscard]] binding bind(Argument&& argument) const {
    return binding(*this, std::forward<Argument>(argument));
  }
  /// What is bound here; null: nothing. Valid as long as the binding, or the fiber that began with it. Any fiber or
  /// thread; a step for each value that is bound here.
  [[nodiscard]] const T* get() const noexcept {
    const detail::bound_value* const found = detail::find_bound(this);
    return found != nullptr ? &static_cast<const node*>(found)->value : nullptr;
  }
};

}  // namespace ramie
