// Small functions whose machine code check_machine_code.py looks at.
#include <ramie/context/execution.hpp>
#include <ramie/context/thread_slot.hpp>

using namespace ramie::context;

extern "C" {

void* fragment_switch_to(machine_context& from, machine_context& to, void* message) {
  return switch_to(from, to, message);
}

void* fragment_switch_execution(exception_state& of_thread, execution& from, execution& to, void* message) {
  return switch_execution(of_thread, from, to, message);
}

// Whether it is the same kernel thread after the switch.
bool fragment_slot_twice(machine_context& from, machine_context& to) {
  const void* const before = thread_slot();
  switch_to(from, to, nullptr);
  return before == thread_slot();
}

void fragment_slot_once_more(void** out) {
  out[0] = thread_slot();
  out[1] = thread_slot();
}

}  // extern "C"
