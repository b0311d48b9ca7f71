#include <ramie/base/assert.hpp>
#include <ramie/base/error.hpp>
#include <ramie/stack/advise.hpp>
#include <ramie/stack/arena.hpp>
#include <ramie/stack/guard.hpp>
#include <ramie/stack/limits.hpp>
#include <ramie/stack/reservation.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <new>
#include <string>
#include <sys/mman.h>

namespace ramie::stack {
namespace {

constexpr std::size_t most_slots = std::size_t{1} << 31U;
// Slots looked at together, between two system calls: as many as the scheduler has in a magazine. Arrays of so many lie
// on the stack of the caller, which may be a fiber's of 16 KiB.
constexpr std::size_t batch_size = 64;

guard_kind choose_guard(const config& settings) {
  if (!settings.force_guard) return best_guard();
  if (!works(*settings.force_guard)) {
    throw spawn_error("ramie: the guard \"" + std::string(to_string(*settings.force_guard)) +
                      "\" was forced, but does not work on this kernel: leave force_guard out, so that the best one "
                      "that works is taken");
  }
  return *settings.force_guard;
}

}  // namespace

arena::arena(const config& wanted)
    : m_config(validated(wanted)),
      m_rung(choose_guard(m_config)),
      m_weakest(m_rung.load(std::memory_order_relaxed)),
      m_next_segment(m_config.first_segment.count()) {}

arena::~arena() {
  for (const segment& each : m_segments) {
    // First out of the registry, so that no handler explains a fault in whatever is mapped there next.
    detail::unregister_segment(each.entry);
#if RAMIE_ASAN
    for (std::size_t i = 0; i < each.range.slots && each.range.first_index + i < m_next_unused; ++i) {
      const slot number = each.range.first_index + static_cast<slot>(i);
      if (is_used(number)) detail::forget_frames(detail::slot_memory(each.range, i));
    }
#endif
    detail::unreserve(each.range.begin, each.range.slots * each.range.slot_size);
  }
}

// Held: m_mutex. False, and errno in `error`, if not even one slot's address space was to be had.
bool arena::add_segment(int& error) {
  const std::size_t size = m_config.size.count();
  // More than max_stacks would never be handed out, but for the few that are just being given back by other threads.
  const std::size_t missing = m_config.max_stacks > m_reserved ? m_config.max_stacks - m_reserved : 0;
  const std::size_t useful = std::min(std::max<std::size_t>(missing, 64), most_slots - m_reserved);
  if (useful == 0) {
    error = ENOMEM;
    return false;
  }
  std::size_t slots = std::clamp<std::size_t>(m_next_segment / size, 1, useful);
  std::byte* begin = nullptr;
  while ((begin = detail::reserve(slots * size, detail::table_span)) == nullptr) {
    error = errno;
    if (slots == 1) return false;
    slots /= 2;  // a limit is near: what is left below it can still be used
    m_next_segment = slots * size;
  }
  segment fresh{{begin, slots, size, m_config.guard_size.count(), static_cast<std::uint32_t>(m_reserved)}, 0};
  try {
    m_released.reserve(m_reserved + slots);
    m_bare.reserve(m_reserved + slots);
    m_used.resize((m_reserved + slots + 63) / 64);
    m_segments.reserve(m_segments.size() + 1);
  } catch (const std::bad_alloc&) {
    detail::unreserve(begin, slots * size);
    error = ENOMEM;
    return false;
  }
  fresh.entry = detail::register_segment(fresh.range);
  m_segments.push_back(fresh);
  m_reserved += slots;
  m_next_segment = std::min(std::max(m_next_segment, slots * size) * 2, m_config.largest_segment.count());
  return true;
}

// Held: m_mutex.
memory arena::memory_of(slot number) const noexcept {
  const auto after = std::upper_bound(m_segments.begin(), m_segments.end(), number,
                                      [](slot wanted, const segment& each) { return wanted < each.range.first_index; });
  const detail::segment_range& range = std::prev(after)->range;
  return detail::slot_memory(range, number - range.first_index);
}

// Held: m_mutex.
arena::slot arena::slot_of(const memory& stack) const noexcept {
  const auto wanted = reinterpret_cast<std::uintptr_t>(stack.bottom);
  // The last ones are the largest. There are few: 11 up to 128 GiB.
  for (auto each = m_segments.rbegin(); each != m_segments.rend(); ++each) {
    const auto begin = reinterpret_cast<std::uintptr_t>(each->range.begin);
    if (wanted < begin || wanted - begin >= each->range.slots * each->range.slot_size) continue;
    const std::size_t local = (wanted - begin) / each->range.slot_size;
    const slot number = each->range.first_index + static_cast<slot>(local);
    if (detail::slot_memory(each->range, local) == stack && is_used(number)) return number;
    break;
  }
  ramie::detail::fail("a stack was released that is not in use in this arena.",
                      "Release every stack once, to the arena that it came from, unchanged.");
}

// Held: m_mutex. Fills from released slots, then from those without a guard; `guarded` is where the latter begin.
arena::lent arena::lend(std::span<slot> numbers, std::span<memory> out, int& error) {
  const std::size_t wanted = std::min(out.size(), m_config.max_stacks - m_in_use);
  lent result;
  const auto add = [&](slot number) {
    numbers[result.count] = number;
    out[result.count++] = memory_of(number);
    flip_used(number);
  };
  while (result.count < wanted && !m_released.empty()) {
    add(m_released.back());
    m_released.pop_back();
  }
  result.guarded = result.count;
  while (result.count < wanted && !m_bare.empty()) {
    add(m_bare.back());
    m_bare.pop_back();
  }
  while (result.count < wanted) {
    if (m_next_unused == m_reserved && !add_segment(error)) break;
    add(static_cast<slot>(m_next_unused++));
  }
  m_in_use += result.count;
  return result;
}

std::size_t arena::acquire(std::span<memory> out) {
  std::size_t total = 0;
  while (total < out.size()) {
    std::array<slot, batch_size> numbers;
    const auto part = out.subspan(total, std::min(batch_size, out.size() - total));
    int error = 0;
    lent got;
    bool at_most = false;
    {
      const std::scoped_lock lock(m_mutex);
      at_most = m_in_use >= m_config.max_stacks;
      got = lend(numbers, part, error);
    }
    const auto bare = part.subspan(got.guarded, got.count - got.guarded);
    guard_failure failure;
    const std::size_t usable = got.guarded + install_guards(bare, failure);
    if (usable < got.count) give_back_unguarded(std::span(numbers).subspan(usable, got.count - usable));
    total += usable;
    if (usable == part.size()) continue;
    if (total > 0) break;  // the caller has something; the next call will say what is wrong if that is still so
    if (at_most) throw spawn_error(detail::explain_max_stacks(m_config.max_stacks));
    const std::size_t in_use = counts().in_use;
    if (failure.error != 0) throw spawn_error(detail::explain_guard_failure(failure.kind, failure.error, in_use));
    throw spawn_error(detail::explain_mmap_failure(m_config.size, error, in_use));
  }
  return total;
}

void arena::give_back_unguarded(std::span<const slot> numbers) noexcept {
  const std::scoped_lock lock(m_mutex);
  for (const slot number : numbers) {
    flip_used(number);
    m_bare.push_back(number);
  }
  m_in_use -= numbers.size();
}

// Guards the stacks from the front; returns how many may be used. Goes down the ladder where a rung fails for a reason
// that will not pass.
std::size_t arena::install_guards(std::span<const memory> bare, guard_failure& failure) {
  const std::size_t guard_size = m_config.guard_size.count();
  std::size_t done = 0;
  guard_kind kind = m_rung.load(std::memory_order_relaxed);
  if (kind == guard_kind::guard_install && !bare.empty()) {
    std::array<iovec, batch_size> ranges;
    for (std::size_t i = 0; i < bare.size(); ++i) ranges[i] = {bare[i].bottom - guard_size, guard_size};
    const detail::advised result = detail::advise({ranges.data(), bare.size()}, detail::advice_guard_install);
    done = result.done;
    if (done < bare.size()) {
      failure = {guard_kind::guard_install, result.error};
      // EINVAL: the probe succeeded, so this mapping is special (locked by mlockall(MCL_FUTURE), say).
      if (result.error == EINVAL && !m_config.force_guard) {
        kind = guard_kind::mprotect;
        m_rung.store(kind, std::memory_order_relaxed);
        weaken(kind);
      }
    }
  }
  if (kind == guard_kind::mprotect) {
    for (; done < bare.size(); ++done) {
      if (::mprotect(bare[done].bottom - guard_size, guard_size, PROT_NONE) != 0) {
        failure = {guard_kind::mprotect, errno};
        break;
      }
    }
  }
  if (done == bare.size()) {
    failure = {};
  } else if (kind == guard_kind::none || m_config.guard == guard_policy::allow_unguarded) {
    weaken(guard_kind::none);  // the rung stays: the next one may succeed again
    const std::scoped_lock lock(m_mutex);
    m_unguarded += bare.size() - done;
    done = bare.size();
    failure = {};
  }
  return done;
}

void arena::weaken(guard_kind to) noexcept {
  guard_kind seen = m_weakest.load(std::memory_order_relaxed);
  while (seen < to && !m_weakest.compare_exchange_weak(seen, to, std::memory_order_relaxed)) {
  }
}

void arena::release(std::span<const memory> stacks) noexcept {
  while (!stacks.empty()) {
    const std::size_t count = std::min(batch_size, stacks.size());
    release_batch(stacks.first(count));
    stacks = stacks.subspan(count);
  }
}

void arena::release_batch(std::span<const memory> stacks) noexcept {
  std::array<slot, batch_size> numbers;
  {
    const std::scoped_lock lock(m_mutex);
    for (std::size_t i = 0; i < stacks.size(); ++i) {
      numbers[i] = slot_of(stacks[i]);
      flip_used(numbers[i]);
    }
  }
  // Neither in use nor released now: no other thread touches them, so the kernel can be called outside the lock.
  const std::size_t size = m_config.size.count();
  const std::size_t guard_size = m_config.guard_size.count();
  std::array<iovec, batch_size> ranges;
  std::size_t used = 0;
  for (const memory& each : stacks) {
    std::byte* const begin = each.bottom - guard_size;
    detail::forget_frames(each);
    if (used > 0) {
      // Neighbours make one range; the guard between them stays, for DONTNEED leaves markers and protections alone.
      iovec& last = ranges[used - 1];
      auto* const last_begin = static_cast<std::byte*>(last.iov_base);
      if (last_begin + last.iov_len == begin) {
        last.iov_len += size;
        continue;
      }
      if (begin + size + guard_size == last_begin) {
        last = {each.bottom, last.iov_len + size};
        continue;
      }
    }
    ranges[used++] = {each.bottom, size - guard_size};
  }
  // One that is refused (locked memory) keeps its pages; go on behind it.
  std::span<iovec> rest(ranges.data(), used);
  while (!rest.empty()) {
    const detail::advised result = detail::advise(rest, detail::advice_dontneed);
    rest = rest.subspan(std::min(rest.size(), result.done + (result.error != 0 ? 1 : 0)));
  }
  const std::scoped_lock lock(m_mutex);
  for (std::size_t i = 0; i < stacks.size(); ++i) m_released.push_back(numbers[i]);
  m_in_use -= stacks.size();
}

std::size_t arena::high_water(const memory& stack) const noexcept { return detail::touched(stack); }

usage arena::counts() const {
  const std::scoped_lock lock(m_mutex);
  return {.in_use = m_in_use,
          .released = m_released.size(),
          .reserved = m_reserved,
          .unguarded = m_unguarded,
          .segments = m_segments.size(),
          .address_space = bytes(m_reserved * m_config.size.count())};
}

}  // namespace ramie::stack
