// The search phase of unwinding ("Itanium C++ ABI: Exception Handling", section 2.4), without an exception. The tables
// are those that both gcc and clang write: a list of call sites for each function, each with a landing pad and a list
// of what the pad is for.
#include "scheduler/throw_would_terminate.hpp"

#include <ramie/scheduler/cancelled.hpp>

#include "scheduler/landing_pad.hpp"

#include <cstdint>
#include <cstring>
#include <typeinfo>
#include <unwind.h>

namespace ramie::detail {
namespace {

using byte_pointer = const unsigned char*;

enum class outcome : std::uint8_t { goes_on, is_caught, terminates };

std::uintptr_t read_unsigned(byte_pointer& at) noexcept {
  std::uintptr_t value = 0;
  unsigned shift = 0;
  for (unsigned char each = 0x80; (each & 0x80U) != 0; shift += 7) {
    each = *at++;
    value |= static_cast<std::uintptr_t>(each & 0x7fU) << shift;
  }
  return value;
}

std::intptr_t read_signed(byte_pointer& at) noexcept {
  std::uintptr_t value = 0;
  unsigned shift = 0;
  unsigned char each = 0x80;
  for (; (each & 0x80U) != 0; shift += 7) {
    each = *at++;
    value |= static_cast<std::uintptr_t>(each & 0x7fU) << shift;
  }
  if (shift < 64 && (each & 0x40U) != 0) value |= ~std::uintptr_t{0} << shift;
  return static_cast<std::intptr_t>(value);
}

template <class T>
std::uintptr_t read_as(byte_pointer& at) noexcept {
  T value;
  std::memcpy(&value, at, sizeof(T));
  at += sizeof(T);
  return static_cast<std::uintptr_t>(static_cast<std::intptr_t>(value));
}

// The encodings of DWARF's pointers (DW_EH_PE_*).
constexpr unsigned omitted = 0xff;
std::size_t size_of(unsigned encoding) noexcept {
  switch (encoding & 7U) {
    case 2: return 2;
    case 3: return 4;
    default: return 8;
  }
}
std::uintptr_t read_encoded(byte_pointer& at, unsigned encoding) noexcept {
  const byte_pointer place = at;
  std::uintptr_t value = 0;
  switch (encoding & 0xfU) {
    case 0x1: value = read_unsigned(at); break;
    case 0x9: value = static_cast<std::uintptr_t>(read_signed(at)); break;
    case 0x2: value = read_as<std::uint16_t>(at); break;
    case 0xa: value = read_as<std::int16_t>(at); break;
    case 0x3: value = read_as<std::uint32_t>(at); break;
    case 0xb: value = read_as<std::int32_t>(at); break;
    default: value = read_as<std::int64_t>(at); break;
  }
  if (value == 0) return 0;
  if ((encoding & 0x70U) == 0x10) value += reinterpret_cast<std::uintptr_t>(place);
  if ((encoding & 0x80U) != 0) std::memcpy(&value, reinterpret_cast<const void*>(value), sizeof(value));
  return value;
}

struct call_site {
  byte_pointer pad = nullptr;
  byte_pointer actions = nullptr;  // null: cleanup alone
  byte_pointer types = nullptr;
  unsigned type_encoding = omitted;
};

enum class lookup : std::uint8_t { no_entry, no_pad, pad };

lookup find_call_site(byte_pointer at, std::uintptr_t function, std::uintptr_t ip, call_site& found) noexcept {
  const unsigned start_encoding = *at++;
  const std::uintptr_t pads = start_encoding != omitted ? read_encoded(at, start_encoding) : function;
  found.type_encoding = *at++;
  if (found.type_encoding != omitted) {
    const std::uintptr_t distance = read_unsigned(at);
    found.types = at + distance;
  }
  const unsigned site_encoding = *at++;
  const std::uintptr_t length = read_unsigned(at);
  const byte_pointer actions = at + length;
  while (at < actions) {
    const std::uintptr_t begin = function + read_encoded(at, site_encoding & 0xfU);
    const std::uintptr_t size = read_encoded(at, site_encoding & 0xfU);
    const std::uintptr_t pad = read_encoded(at, site_encoding & 0xfU);
    const std::uintptr_t action = read_unsigned(at);
    if (ip < begin) return lookup::no_entry;
    if (ip - begin >= size) continue;
    if (pad == 0) return lookup::no_pad;
    found.pad = reinterpret_cast<byte_pointer>(pads + pad);
    if (action != 0) found.actions = actions + action - 1;
    return lookup::pad;
  }
  return lookup::no_entry;
}

bool catches_cancelled(const std::type_info& handled) noexcept {
  static const cancelled example;
  void* thrown = const_cast<cancelled*>(&example);
  return handled.__do_catch(&typeid(cancelled), &thrown, 1);
}

bool ends_in_terminate(byte_pointer pad) noexcept {
  const landing_pad_ends ends = ends_of_landing_pad(pad);
  return ends.terminates && !ends.resumes;
}

outcome outcome_in(const call_site& site) noexcept {
  bool has_others = false;  // handlers for some types
  for (byte_pointer at = site.actions; at != nullptr;) {
    const std::intptr_t filter = read_signed(at);
    const byte_pointer place = at;
    const std::intptr_t next = read_signed(at);
    if (filter < 0) return outcome::terminates;  // throw(...), which this is none of
    if (filter > 0) {
      byte_pointer entry = site.types - static_cast<std::size_t>(filter) * size_of(site.type_encoding);
      const auto* const type = reinterpret_cast<const std::type_info*>(read_encoded(entry, site.type_encoding));
      if (type != nullptr && catches_cancelled(*type)) return outcome::is_caught;
      if (type == nullptr) {
        const landing_pad_ends ends = ends_of_landing_pad(site.pad);
        // A handler for everything that terminates instead, unless it is the one that catches.
        const bool catches = ends.catches && !has_others;
        return ends.terminates && !ends.resumes && !catches ? outcome::terminates : outcome::is_caught;
      }
      has_others = true;
    }
    at = next != 0 ? place + next : nullptr;
  }
  return ends_in_terminate(site.pad) ? outcome::terminates : outcome::goes_on;
}

struct search {
  unsigned frames = 0;
  outcome found = outcome::goes_on;
};

_Unwind_Reason_Code look_at_frame(_Unwind_Context* frame, void* of) {
  auto& state = *static_cast<search*>(of);
  if (state.frames++ == 0) return _URC_NO_REASON;  // the caller's own
  const auto table = static_cast<byte_pointer>(_Unwind_GetLanguageSpecificData(frame));
  if (table == nullptr) return _URC_NO_REASON;
  int is_before = 0;  // the instruction: a signal's frame
  const std::uintptr_t ip = _Unwind_GetIPInfo(frame, &is_before) - (is_before == 0 ? 1 : 0);
  call_site site;
  switch (find_call_site(table, _Unwind_GetRegionStart(frame), ip, site)) {
    case lookup::no_entry: state.found = outcome::terminates; break;
    case lookup::no_pad: return _URC_NO_REASON;
    case lookup::pad: state.found = outcome_in(site); break;
  }
  return state.found == outcome::goes_on ? _URC_NO_REASON : _URC_NORMAL_STOP;
}

}  // namespace

[[gnu::noinline]] bool throw_would_terminate() {
  static volatile bool never = false;  // see the header; also where a compiler sees this body
  if (never) throw cancelled();
  search state;
  _Unwind_Backtrace(&look_at_frame, &state);
  return state.found != outcome::is_caught;  // without a handler too
}

}  // namespace ramie::detail
