// Values of which every fiber has its own.
//
// A fiber that uses any has a table of them, by the number of the fiber_local; the table goes with the fiber's end, and
// fibers without one pay a look at a pointer there. Numbers are used again, so a value carries the identity of the
// fiber_local that it was made for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace ramie {

namespace detail {

class local_values;

/// What is the same for all types.
class local_key {
 public:
  local_key();
  ~local_key();
  local_key(const local_key&) = delete;
  local_key& operator=(const local_key&) = delete;

 protected:
  /// The caller's value; null: it has none yet.
  [[nodiscard]] void* find() const noexcept;
  /// For a caller that has none. Throws std::bad_alloc, and has kept nothing.
  void keep(void* value, void (*destroy)(void*) noexcept) const;

 private:
  const std::uint64_t m_identity;
  const std::size_t m_number;
};

/// Destroys the calling fiber's values, the newest first, until there are none; their destructors may wait.
void end_local_values() noexcept;

}  // namespace detail

/// Each fiber, and each thread that runs none, has its own T, made where it first asks for it: by T(), or by the
/// function that was given. Destroyed when the function of the fiber has returned and what it has captured is gone,
/// before those go on who join it; in a scope, before the scope ends; of a job, when its function has returned; of a
/// thread, at its end. The newest goes first. Destructors may wait, and may use fiber_locals; an exception that leaves
/// one ends the process.
///
/// Any fiber or thread, about 5 ns. The object may be destroyed before the values: those are destroyed as ever.
///
///     fiber_local<std::vector<char>> buffer;
///     buffer->resize(4096);
template <class T>
class fiber_local : private detail::local_key {
 public:
  using maker = T (*)();

  fiber_local() = default;
  /// `make` is called by each fiber or thread that asks for its value.
  explicit fiber_local(maker make) : m_make(make) {}

  /// Throws what the making throws, and std::bad_alloc; the next call tries again then.
  [[nodiscard]] T& get() {
    if (void* const mine = find()) return *static_cast<T*>(mine);
    T* const made = make();
    try {
      keep(made, [](void* value) noexcept { delete static_cast<T*>(value); });
    } catch (...) {
      delete made;
      throw;
    }
    return *made;
  }
  [[nodiscard]] T& operator*() { return get(); }
  [[nodiscard]] T* operator->() { return &get(); }
  /// Null where the caller has not asked for it yet; makes none.
  [[nodiscard]] T* if_made() const noexcept { return static_cast<T*>(find()); }

 private:
  [[nodiscard]] T* make() {
    if constexpr (std::is_default_constructible_v<T>) {
      if (m_make == nullptr) return new T();
    }
    return new T(m_make());
  }

  const maker m_make = nullptr;
};

}  // namespace ramie
