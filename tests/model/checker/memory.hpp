// Memory for what runs inside a model: each thread allocates from an arena of its own, which is emptied before every
// execution. So an execution may be left in the middle without a leak, and the n-th allocation of a thread has the same
// address in every execution, whatever the other threads do: pointers may be stored in atomics.
//
// The global operator new is replaced (memory.cpp): while a thread of the model runs, it allocates here.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ramie::model {

/// The owner of the turn: code of the model's threads, or the checker's own.
class user_code {
 public:
  static inline bool active = false;
  static inline std::uint8_t thread = 0;
};

/// The checker's own code, in the middle of an operation of a model's thread.
class checker_code {
 public:
  checker_code() : m_before(user_code::active) { user_code::active = false; }
  ~checker_code() { user_code::active = m_before; }
  checker_code(const checker_code&) = delete;
  checker_code& operator=(const checker_code&) = delete;

 private:
  bool m_before;
};

void empty_arenas();
[[nodiscard]] void* allocate_in_arena(std::size_t size, std::size_t alignment);
[[nodiscard]] bool in_arena(const void* address);

}  // namespace ramie::model
