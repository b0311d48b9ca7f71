// x86-64: the lengths of instructions, and which of them jump or call.
#include "scheduler/landing_pad.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <cxxabi.h>
#include <elf.h>
#include <exception>
#include <link.h>
#include <string_view>
#include <unwind.h>

namespace ramie::detail {
namespace {

using code_pointer = const unsigned char*;

template <class T>
T read(const void* from) noexcept {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

// ---- Calls by name: what fills the slot of a function in the table of an object's imports ----

enum class callee : std::uint8_t { other, resume, terminate, begin_catch };

callee callee_named(std::string_view name) noexcept {
  if (name == "_Unwind_Resume") return callee::resume;
  if (name == "_ZSt9terminatev" || name == "__cxa_call_terminate") return callee::terminate;
  if (name == "__cxa_begin_catch") return callee::begin_catch;
  return callee::other;
}

callee callee_at(std::uintptr_t address) noexcept {
  if (address == reinterpret_cast<std::uintptr_t>(&_Unwind_Resume)) return callee::resume;
  if (address == reinterpret_cast<std::uintptr_t>(static_cast<void (*)() noexcept>(&std::terminate)))
    return callee::terminate;
  if (address == reinterpret_cast<std::uintptr_t>(&abi::__cxa_begin_catch)) return callee::begin_catch;
  return callee::other;
}

struct slot_question {
  std::uintptr_t slot;
  callee answer = callee::other;
};

struct dynamic_tables {
  const ElfW(Rela) * relocations[2] = {};
  std::size_t counts[2] = {};
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
};

dynamic_tables tables_of(const dl_phdr_info& object, const ElfW(Dyn) * entry) noexcept {
  dynamic_tables found;
  const auto at = [&](ElfW(Addr) address) {  // the dynamic linker has relocated most of them in place
    return address < object.dlpi_addr ? object.dlpi_addr + address : address;
  };
  for (; entry->d_tag != DT_NULL; ++entry) {
    switch (entry->d_tag) {
      case DT_JMPREL: found.relocations[0] = reinterpret_cast<const ElfW(Rela)*>(at(entry->d_un.d_ptr)); break;
      case DT_PLTRELSZ: found.counts[0] = entry->d_un.d_val / sizeof(ElfW(Rela)); break;
      case DT_RELA: found.relocations[1] = reinterpret_cast<const ElfW(Rela)*>(at(entry->d_un.d_ptr)); break;
      case DT_RELASZ: found.counts[1] = entry->d_un.d_val / sizeof(ElfW(Rela)); break;
      case DT_SYMTAB: found.symbols = reinterpret_cast<const ElfW(Sym)*>(at(entry->d_un.d_ptr)); break;
      case DT_STRTAB: found.names = reinterpret_cast<const char*>(at(entry->d_un.d_ptr)); break;
      default: break;
    }
  }
  return found;
}

int look_in_object(dl_phdr_info* object, std::size_t, void* of) {
  auto& question = *static_cast<slot_question*>(of);
  const ElfW(Dyn)* dynamic = nullptr;
  bool is_here = false;
  for (unsigned i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object->dlpi_phdr[i];
    const std::uintptr_t begin = object->dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_DYNAMIC) dynamic = reinterpret_cast<const ElfW(Dyn)*>(begin);
    if (part.p_type == PT_LOAD && question.slot >= begin && question.slot - begin < part.p_memsz) is_here = true;
  }
  if (!is_here) return 0;
  if (dynamic == nullptr) return 1;
  const dynamic_tables tables = tables_of(*object, dynamic);
  if (tables.symbols == nullptr || tables.names == nullptr) return 1;
  for (unsigned table = 0; table < 2; ++table) {
    for (std::size_t i = 0; tables.relocations[table] != nullptr && i < tables.counts[table]; ++i) {
      const ElfW(Rela)& each = tables.relocations[table][i];
      if (object->dlpi_addr + each.r_offset != question.slot) continue;
      question.answer = callee_named(tables.names + tables.symbols[ELF64_R_SYM(each.r_info)].st_name);
      return 1;
    }
  }
  return 1;
}

// The slot may not be bound yet, and then holds the address of what binds it.
callee callee_in_slot(std::uintptr_t slot) noexcept {
  if (const callee known = callee_at(read<std::uintptr_t>(reinterpret_cast<const void*>(slot)));
      known != callee::other) {
    return known;
  }
  slot_question question{slot};
  dl_iterate_phdr(&look_in_object, &question);
  return question.answer;
}

// ---- Instructions ----

struct instruction {
  std::size_t length = 0;  // 0: not known
  enum kind_type : std::uint8_t { plain, call, jump, branch, call_slot, jump_slot, end, lost } kind = plain;
  code_pointer target = nullptr;  // of calls, jumps and branches; the slot of *_slot
};

std::size_t length_of_operand(code_pointer at, bool& relative_to_ip) noexcept {
  const unsigned mode = *at >> 6U;
  const unsigned memory = *at & 7U;
  relative_to_ip = mode == 0 && memory == 5;
  if (mode == 3) return 1;
  std::size_t length = 1;
  bool no_base = relative_to_ip;
  if (memory == 4) {
    ++length;
    no_base = mode == 0 && (at[1] & 7U) == 5;
  }
  if (mode == 1) return length + 1;
  return length + (mode == 2 || no_base ? 4 : 0);
}

bool is_one_of(unsigned value, std::initializer_list<unsigned> set) noexcept {
  for (const unsigned each : set) {
    if (each == value) return true;
  }
  return false;
}

instruction relative(instruction::kind_type kind, code_pointer begin, code_pointer operand, std::size_t size) noexcept {
  const std::ptrdiff_t distance = size == 1 ? read<std::int8_t>(operand) : read<std::int32_t>(operand);
  const code_pointer behind = operand + size;
  return {static_cast<std::size_t>(behind - begin), kind, behind + distance};
}

instruction with_operand(code_pointer begin, code_pointer operand, std::size_t immediate) noexcept {
  bool ignored = false;
  return {static_cast<std::size_t>(operand - begin) + length_of_operand(operand, ignored) + immediate};
}

instruction without_operand(code_pointer begin, code_pointer behind) noexcept {
  return {static_cast<std::size_t>(behind - begin)};
}

bool has_byte_behind(unsigned map, unsigned operation) noexcept {
  return map == 3 ||
         (map == 1 && ((operation >= 0x70 && operation <= 0x73) || is_one_of(operation, {0xc2, 0xc4, 0xc5, 0xc6})));
}

instruction decode_two_bytes(code_pointer begin, code_pointer at) noexcept {
  const unsigned operation = *at++;
  if (operation == 0x38) return with_operand(begin, at + 1, 0);
  if (operation == 0x3a) return with_operand(begin, at + 1, 1);
  if (operation == 0x0b) return {static_cast<std::size_t>(at - begin), instruction::end};
  if (operation >= 0x80 && operation <= 0x8f) return relative(instruction::branch, begin, at, 4);
  if (is_one_of(operation, {0x05, 0x06, 0x08, 0x09, 0x0e, 0x77, 0xa0, 0xa1, 0xa2, 0xa8, 0xa9, 0xaa}) ||
      (operation >= 0x30 && operation <= 0x37) || (operation >= 0xc8 && operation <= 0xcf)) {
    return without_operand(begin, at);
  }
  return with_operand(begin, at, has_byte_behind(1, operation) || is_one_of(operation, {0xa4, 0xac, 0xba}) ? 1 : 0);
}

instruction decode_group(code_pointer begin, code_pointer operand) noexcept {
  const unsigned which = (*operand >> 3U) & 7U;
  bool relative_to_ip = false;
  const std::size_t length = static_cast<std::size_t>(operand - begin) + length_of_operand(operand, relative_to_ip);
  if (which != 2 && which != 4) return {length};
  if (relative_to_ip) {
    const code_pointer slot = begin + length + read<std::int32_t>(operand + 1);
    return {length, which == 2 ? instruction::call_slot : instruction::jump_slot, slot};
  }
  return {length, which == 2 ? instruction::plain : instruction::lost};
}

// Intel's manual, volume 2, appendix A: the 64-bit mode.
instruction decode(code_pointer const begin) noexcept {
  code_pointer at = begin;
  std::size_t word = 4;  // of an immediate
  while (is_one_of(*at, {0x66, 0x67, 0xf0, 0xf2, 0xf3, 0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65})) {
    if (*at++ == 0x66) word = 2;
    if (at - begin > 14) return {};
  }
  bool wide = false;
  if ((*at & 0xf0U) == 0x40) {
    wide = (*at & 8U) != 0;
    if (wide) word = 4;
    ++at;
  }
  const unsigned operation = *at++;
  if (operation == 0x0f) return decode_two_bytes(begin, at);
  if (operation == 0xc5 || operation == 0xc4 || operation == 0x62) {  // VEX, EVEX
    const unsigned map = operation == 0xc5 ? 1 : at[0] & (operation == 0xc4 ? 0x1fU : 7U);
    at += operation == 0xc5 ? 1 : operation == 0xc4 ? 2 : 3;
    const unsigned vector_operation = *at++;
    if (map == 1 && vector_operation == 0x77) return without_operand(begin, at);
    return with_operand(begin, at, has_byte_behind(map, vector_operation) ? 1 : 0);
  }
  if (operation < 0x40) {
    const unsigned form = operation & 7U;
    if (form < 4) return with_operand(begin, at, 0);
    if (form == 4) return without_operand(begin, at + 1);
    return form == 5 ? without_operand(begin, at + word) : instruction{};
  }
  if (operation >= 0x70 && operation <= 0x7f) return relative(instruction::branch, begin, at, 1);
  if (operation >= 0x84 && operation <= 0x8f) return with_operand(begin, at, 0);
  if (operation >= 0xb0 && operation <= 0xb7) return without_operand(begin, at + 1);
  if (operation >= 0xb8 && operation <= 0xbf) return without_operand(begin, at + (wide ? 8 : word));
  if (operation >= 0xa0 && operation <= 0xa3) return without_operand(begin, at + 8);
  if ((operation >= 0xd0 && operation <= 0xd3) || (operation >= 0xd8 && operation <= 0xdf))
    return with_operand(begin, at, 0);
  if (operation >= 0xe0 && operation <= 0xe3) return relative(instruction::branch, begin, at, 1);
  switch (operation) {
    case 0x63:
    case 0xfe: return with_operand(begin, at, 0);
    case 0x68:
    case 0xa9: return without_operand(begin, at + word);
    case 0x69:
    case 0x81:
    case 0xc7: return with_operand(begin, at, word);
    case 0x6a:
    case 0xa8:
    case 0xcd: return without_operand(begin, at + 1);
    case 0x6b:
    case 0x80:
    case 0x83:
    case 0xc0:
    case 0xc1:
    case 0xc6: return with_operand(begin, at, 1);
    case 0xc2:
    case 0xc3: return {static_cast<std::size_t>(at - begin), instruction::lost};
    case 0xcc:
    case 0xf4: return {static_cast<std::size_t>(at - begin), instruction::end};
    case 0xe8: return relative(instruction::call, begin, at, 4);
    case 0xe9: return relative(instruction::jump, begin, at, 4);
    case 0xeb: return relative(instruction::jump, begin, at, 1);
    case 0xf6: return with_operand(begin, at, (*at & 0x30U) == 0 ? 1 : 0);
    case 0xf7: return with_operand(begin, at, (*at & 0x30U) == 0 ? word : 0);
    case 0xff: return decode_group(begin, at);
    default: break;
  }
  if ((operation >= 0x50 && operation <= 0x5f) || (operation >= 0x90 && operation <= 0x9f) ||
      (operation >= 0xa4 && operation <= 0xa7) || (operation >= 0xaa && operation <= 0xaf) || operation == 0xc9 ||
      operation >= 0xf5) {
    return without_operand(begin, at);
  }
  return {};
}

// Also through the jump by which an object reaches another's function, and through clang's __clang_call_terminate,
// which each object has of its own: it begins to catch, and terminates.
callee callee_of(const instruction& call) noexcept {
  if (call.kind == instruction::call_slot || call.kind == instruction::jump_slot)
    return callee_in_slot(reinterpret_cast<std::uintptr_t>(call.target));
  if (const callee known = callee_at(reinterpret_cast<std::uintptr_t>(call.target)); known != callee::other)
    return known;
  code_pointer at = call.target;
  bool has_caught = false;
  for (unsigned steps = 0; steps < 6; ++steps) {
    const instruction each = decode(at);
    if (each.length == 0) break;
    at += each.length;
    if (each.kind == instruction::jump_slot && steps <= 1)
      return callee_in_slot(reinterpret_cast<std::uintptr_t>(each.target));
    callee called = callee::other;
    if (each.kind == instruction::call_slot) {
      called = callee_in_slot(reinterpret_cast<std::uintptr_t>(each.target));
    } else if (each.kind == instruction::call) {
      called = callee_at(reinterpret_cast<std::uintptr_t>(each.target));
      const instruction stub = decode(each.target);
      const instruction behind_mark = stub.length != 0 ? decode(each.target + stub.length) : instruction();
      if (stub.kind == instruction::jump_slot) {
        called = callee_in_slot(reinterpret_cast<std::uintptr_t>(stub.target));
      } else if (behind_mark.kind == instruction::jump_slot) {
        called = callee_in_slot(reinterpret_cast<std::uintptr_t>(behind_mark.target));
      }
    } else if (each.kind != instruction::plain) {
      break;
    }
    if (called == callee::terminate) return has_caught ? callee::terminate : callee::other;
    if (called == callee::begin_catch) has_caught = true;
    if (called == callee::other && each.kind != instruction::plain) break;
  }
  return callee::other;
}

}  // namespace

landing_pad_ends ends_of_landing_pad(code_pointer code) noexcept {
  landing_pad_ends found;
  std::array<code_pointer, 64> begins{code};  // of stretches of code, and how many of them there are
  std::size_t known = 1;
  const auto also = [&](code_pointer begin) {
    for (std::size_t i = 0; i < known; ++i) {
      if (begins[i] == begin) return;
    }
    if (known == begins.size()) {
      found.resumes = true;
    } else {
      begins[known++] = begin;
    }
  };
  unsigned left = 4000;
  for (std::size_t next = 0; next < known; ++next) {
    for (code_pointer at = begins[next];;) {
      const instruction each = decode(at);
      if (each.length == 0 || each.kind == instruction::lost || --left == 0) {
        found.resumes = true;
        break;
      }
      at += each.length;
      if (each.kind == instruction::end) break;
      if (each.kind == instruction::branch) also(each.target);
      if (each.kind == instruction::plain || each.kind == instruction::branch) continue;
      const callee called = callee_of(each);
      if (called == callee::resume) found.resumes = true;
      if (called == callee::terminate) found.terminates = true;
      if (called == callee::begin_catch) found.catches = true;
      if (called != callee::other) break;
      if (each.kind == instruction::jump) also(each.target);
      if (each.kind == instruction::jump_slot) found.resumes = true;
      if (each.kind == instruction::jump || each.kind == instruction::jump_slot) break;
    }
  }
  return found;
}

}  // namespace ramie::detail
