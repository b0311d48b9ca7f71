#include <ramie/stack/limits.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sys/resource.h>

namespace ramie::stack::detail {
namespace {

/// The number in a /proc file; -1 if it cannot be read.
long number_in(const char* path) {
  std::ifstream file(path);
  long value = -1;
  return file >> value ? value : -1;
}

long mappings_now() {
  std::ifstream file("/proc/self/maps");
  return static_cast<long>(std::count(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>(), '\n'));
}

std::string beginning(std::size_t in_use) {
  return "ramie: no further stack can be had, with " + std::to_string(in_use) + " in use: ";
}

std::string raise_map_count(long now) {
  return "raise it (sysctl -w vm.max_map_count=" + std::to_string(std::max(now, 65530L) * 16) +
         "), run on Linux 6.13 or newer, where guards need no mapping, or have fewer fibers at once";
}

}  // namespace

std::string explain_mmap_failure(bytes stack_size, int error, std::size_t in_use) {
  const std::string start = beginning(in_use);
  const std::string each = std::to_string(stack_size.count() / 1024) + " KiB of address space each";
  if (error != ENOMEM && error != EAGAIN) {
    return start + "mmap(2) says \"" + std::strerror(error) + "\" to a reservation (" + each +
           "). A seccomp filter or a security module may forbid it.";
  }
  const long map_count = number_in("/proc/sys/vm/max_map_count");
  if (map_count > 0 && mappings_now() + 8 >= map_count) {
    return start + "the process has reached vm.max_map_count, which is " + std::to_string(map_count) + "; " +
           raise_map_count(map_count) + ".";
  }
  rlimit space{};
  if (::getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY) {
    return start + "RLIMIT_AS allows the process " + std::to_string(space.rlim_cur >> 20U) +
           " MiB of address space, and stacks need " + each +
           " (only what is touched costs memory). Raise it (ulimit -v unlimited) or take a smaller stack_size.";
  }
  if (number_in("/proc/sys/vm/overcommit_memory") == 2) {
    return start + "vm.overcommit_memory is 2, so that reserved address space counts as memory, and stacks need " +
           each + ". Set it to 0, raise vm.overcommit_ratio, or take a smaller stack_size.";
  }
  return start + "the address space is used up (" + each + "). Take a smaller stack_size or have fewer fibers at once.";
}

std::string explain_guard_failure(guard_kind kind, int error, std::size_t in_use) {
  const std::string start = beginning(in_use);
  if (kind == guard_kind::mprotect && error == ENOMEM) {
    const long map_count = number_in("/proc/sys/vm/max_map_count");
    return start + "its guard page was refused, because every guarded stack takes two mappings, and " +
           "vm.max_map_count is " + (map_count > 0 ? std::to_string(map_count) : std::string("unknown")) + "; " +
           raise_map_count(map_count) + ". (Or allow unguarded stacks, guard_policy::allow_unguarded.)";
  }
  if (error == ENOMEM) {
    return start + "there is no memory for the page table of its guard. Free memory or raise the cgroup's memory.max.";
  }
  return start + "its guard (" + std::string(to_string(kind)) + ") was refused: \"" + std::strerror(error) +
         "\". Allow unguarded stacks (guard_policy::allow_unguarded) if you must.";
}

std::string explain_max_stacks(std::size_t max_stacks) {
  return "ramie: no further stack can be had: max_stacks is " + std::to_string(max_stacks) +
         " and as many are in use. Raise it, or wait for fibers to end.";
}

}  // namespace ramie::stack::detail
