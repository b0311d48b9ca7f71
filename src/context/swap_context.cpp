#include <ramie/context/swap_context.hpp>

#include <cstddef>

extern "C" void ramie_saved_entry();

namespace ramie::context {

static_assert(offsetof(saved_registers, rsp) == 48 && offsetof(saved_registers, rip) == 56 &&
              offsetof(saved_registers, mxcsr) == 64 && offsetof(saved_registers, x87_control) == 68);

void make_context(saved_registers& fresh, void* top, void (*entry)()) {
  ramie_get_context(&fresh);  // the floating-point environment of the maker
  fresh.r12 = reinterpret_cast<void*>(entry);
  fresh.rbp = nullptr;
  fresh.rsp = top;
  fresh.rip = reinterpret_cast<void*>(&ramie_saved_entry);
}

}  // namespace ramie::context
