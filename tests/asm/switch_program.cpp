// Checks that must hold however they are compiled; build_and_run.py compiles and runs this with many options. As a
// program, or (with -DRAMIE_TEST_LIBRARY) as a shared object whose test_everything() is called after dlopen. Says what
// is wrong and ends with 1. Arguments: the number of rounds of the ping-pong.
#include <ramie/context/execution.hpp>
#include <ramie/context/swap_context.hpp>
#include <ramie/context/thread_slot.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace {

using namespace ramie::context;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "wrong: %s\n", what);
  std::exit(1);
}

constexpr std::size_t stack_size = std::size_t{64} << 10;

struct strand {
  explicit strand(entry_function entry) {
    stack = static_cast<char*>(std::aligned_alloc(64, stack_size));
    self.tools.attach_stack(stack, stack + stack_size);
    make_context(self.machine, stack + stack_size, entry, this);
  }
  ~strand() {
    self.tools.detach_stack();
    std::free(stack);
  }
  strand(const strand&) = delete;
  strand& operator=(const strand&) = delete;

  execution self;
  execution main;
  char* stack;
  std::uint64_t value = 0;

  [[gnu::always_inline]] void* resume(void* message = nullptr) {
    return switch_to(main.machine, self.machine, message);
  }
  [[gnu::always_inline]] void* suspend(void* message = nullptr) {
    return switch_to(self.machine, main.machine, message);
  }
};

// Leaves nothing as it was in the registers that a switch may lose.
void overwrite_registers() {
  asm volatile(
      "movq $-1, %%rbx\n\tmovq %%rbx, %%r12\n\tmovq %%rbx, %%r13\n\tmovq %%rbx, %%r14\n\tmovq %%rbx, %%r15\n\t"
      "pcmpeqd %%xmm0, %%xmm0\n\tmovdqa %%xmm0, %%xmm1\n\tmovdqa %%xmm0, %%xmm5\n\tmovdqa %%xmm0, %%xmm15" ::
          : "rbx", "r12", "r13", "r14", "r15", "xmm0", "xmm1", "xmm5", "xmm15");
#if defined(__AVX512F__)
  asm volatile(
      "vpternlogd $255, %%zmm0, %%zmm0, %%zmm0\n\tvmovdqa64 %%zmm0, %%zmm1\n\tvmovdqa64 %%zmm0, %%zmm16\n\t"
      "vmovdqa64 %%zmm0, %%zmm17\n\tvmovdqa64 %%zmm0, %%zmm31\n\tkxnorw %%k0, %%k0, %%k0\n\tkxnorw %%k0, %%k0, %%k1\n\t"
      "kxnorw %%k0, %%k0, %%k2\n\tkxnorw %%k0, %%k0, %%k7" ::
          : "xmm0", "xmm1", "xmm16", "xmm17", "xmm31", "k0", "k1", "k2", "k7");
#endif
}

void echo(void* message, void* argument) {
  auto& me = *static_cast<strand*>(argument);
  for (;;) {
    ++me.value;
    overwrite_registers();
    message = me.suspend(static_cast<char*>(message) + 1);
  }
}

void ping_pong(long rounds) {
  strand other(echo);
  char* message = nullptr;
  for (long i = 0; i < rounds; ++i) message = static_cast<char*>(other.resume(message));
  expect(reinterpret_cast<std::intptr_t>(message) == rounds, "a message was lost");
  expect(other.value == static_cast<std::uint64_t>(rounds), "a round was lost");
}

template <class Number>
[[gnu::noinline]] Number across(strand& other, Number s) {
  Number a = s + 1, b = s + 2, c = s + 3, d = s + 4, e = s + 5, f = s + 6, g = s + 7, h = s + 8, i = s * 2, j = s * 3;
  other.resume();
  const Number first = a + b * c + d * e + f * g + h * i + j;
  other.resume();
  return first + a - b + c - d + e - f + g - h + i - j;
}

template <class Number>
void live_values(strand& other) {
  for (int seed = 1; seed < 10; ++seed) {
    volatile int opaque = seed;
    const auto s = static_cast<Number>(seed);
    const Number first =
        (s + 1) + (s + 2) * (s + 3) + (s + 4) * (s + 5) + (s + 6) * (s + 7) + (s + 8) * (2 * s) + 3 * s;
    expect(across<Number>(other, static_cast<Number>(opaque)) == first - 4 - s, "a live value was lost");
  }
}

#if defined(__AVX512F__)
int lanes(__m512i vector) {
  int all[16];
  _mm512_storeu_si512(all, vector);
  int sum = 0;
  for (const int one : all) sum += one;
  return sum;
}

// Twenty vectors and eight masks: some of them in zmm16 to zmm31 and in k0.
[[gnu::noinline]] void wide_registers(strand& other, const volatile int& one) {
  __m512i vectors[20];
  for (int i = 0; i < 20; ++i) vectors[i] = _mm512_set1_epi32(one * i);
  for (__m512i& vector : vectors) asm volatile("" : "+v"(vector));  // computed before the switch
  const auto mask = [&](int bits) { return _cvtu32_mask16(static_cast<unsigned>(one * bits)); };
  __mmask16 a = mask(1), b = mask(2), c = mask(4), d = mask(8), e = mask(16), f = mask(32), g = mask(64), h = mask(128);
  asm volatile("" : "+Yk"(a), "+Yk"(b), "+Yk"(c), "+Yk"(d), "+Yk"(e), "+Yk"(f), "+Yk"(g), "+k"(h));
  other.resume();
  asm volatile("" : "+Yk"(a), "+Yk"(b), "+Yk"(c), "+Yk"(d), "+Yk"(e), "+Yk"(f), "+Yk"(g), "+k"(h));
  expect((a | b | c | d | e | f | g | h) == 255, "a mask was lost");
  int sum = 0;
  for (const __m512i& vector : vectors) sum += lanes(vector);
  expect(sum == 16 * 190, "a vector was lost");
}
#endif

// A leaf function may keep its locals below the stack pointer, and an asm statement does not make it call anything.
[[gnu::noinline]] std::uint64_t leaf(machine_context& from, machine_context& to, std::uint64_t seed, bool& used) {
  volatile std::uint64_t locals[4] = {seed, seed + 1, seed + 2, seed + 3};
  std::uintptr_t stack;
  asm volatile("movq %%rsp, %0" : "=r"(stack));
  switch_to(from, to, nullptr);
  used = reinterpret_cast<std::uintptr_t>(&locals[0]) < stack;
  return locals[0] + locals[1] + locals[2] + locals[3];
}

void also_a_leaf(void*, void* argument) {
  auto& me = *static_cast<strand*>(argument);
  for (;;) {
    bool used = false;
    me.value = leaf(me.self.machine, me.main.machine, me.value, used);
  }
}

void red_zone() {
  strand other(also_a_leaf);
  other.value = 1;
  bool used = false;
  for (std::uint64_t i = 0; i < 10; ++i) {
    expect(leaf(other.main.machine, other.self.machine, i, used) == 4 * i + 6, "the red zone was overwritten");
  }
  std::printf("red zone: %s\n", used ? "used" : "not used");
}

void aligned_entry(void*, void* argument) {
  auto& me = *static_cast<strand*>(argument);
  alignas(16) float four[4] = {1, 2, 3, 4};
  asm volatile("movaps %0, %%xmm0\n\taddps %%xmm0, %%xmm0\n\tmovaps %%xmm0, %0"
               : "+m"(four)
               :
               : "xmm0");  // or it faults
  me.value = static_cast<std::uint64_t>(four[3]);
  me.suspend();
}

void throws_and_catches(void*, void* argument) {
  auto& me = *static_cast<strand*>(argument);
  for (;;) {
    try {
      me.suspend();
      throw 5;
    } catch (int thrown) {
      me.value += static_cast<std::uint64_t>(thrown);
    }
  }
}

void reads_slot(void*, void* argument) {
  auto& me = *static_cast<strand*>(argument);
  void* const first = thread_slot();
  me.suspend();
  void* const second = thread_slot();
  me.value = first == &me && second == &me.value ? 1 : 2;
  me.suspend();
}

void slot_of_the_new_thread() {
  strand other(reads_slot);
  set_thread_slot(&other);
  other.resume();
  std::thread([&] {
    expect(thread_slot() == nullptr, "the slot of a new thread is not null");
    set_thread_slot(&other.value);
    other.resume();
  }).join();
  expect(thread_slot() == &other, "the slot of this thread changed");
  set_thread_slot(nullptr);
  expect(other.value == 1, "the slot of the old thread was read");
}

}  // namespace

extern "C" [[gnu::visibility("default")]] int test_everything(long rounds) {
  ping_pong(rounds);
  strand other(echo);
  live_values<std::uint64_t>(other);
  live_values<double>(other);
  live_values<long double>(other);
#if defined(__AVX512F__)
  const volatile int one = 1;
  wide_registers(other, one);
#endif
  red_zone();
  strand aligned(aligned_entry);
  aligned.resume();
  expect(aligned.value == 8, "the aligned local");
  strand thrower(throws_and_catches);
  for (int i = 0; i < 4; ++i) thrower.resume();
  expect(thrower.value == 15, "an exception was lost");
  slot_of_the_new_thread();
  std::puts("all right");
  return 0;
}

#if !defined(RAMIE_TEST_LIBRARY)
int main(int count, char** arguments) { return test_everything(count > 1 ? std::atol(arguments[1]) : 100'000); }
#endif
