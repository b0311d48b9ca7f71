// The compiler and its sanitizers, as macros with a value (never merely defined), so that a typo is an error.
#pragma once

#if !defined(__linux__)
#error "ramie runs on Linux: it uses futex, madvise and the System V ABI directly"
#endif
#if !defined(__x86_64__)
#error "ramie's context switch is written for x86-64; AArch64 will come behind the same files"
#endif

#if defined(__SANITIZE_ADDRESS__)
#define RAMIE_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define RAMIE_ASAN 1
#endif
#endif
#ifndef RAMIE_ASAN
#define RAMIE_ASAN 0
#endif

#if defined(__SANITIZE_THREAD__)
#define RAMIE_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define RAMIE_TSAN 1
#endif
#endif
#ifndef RAMIE_TSAN
#define RAMIE_TSAN 0
#endif

// Set by the library's build for itself and for every program that links it (target ramie::ramie, pkg-config), never
// guessed from NDEBUG: it changes the layout of objects that inlined code shares with the library.
#ifndef RAMIE_ASSERTIONS
#define RAMIE_ASSERTIONS 0
#endif

// The library on another machine than the real one: a header that defines ramie::native_provider (base/provider.hpp).
#if defined(RAMIE_PROVIDER_HEADER)
#define RAMIE_OTHER_PROVIDER 1
#else
#define RAMIE_OTHER_PROVIDER 0
#endif

// A program built for other sanitizers, assertions or provider than the library must not link: this name would be
// missing.
#define RAMIE_JOIN_NAME(a, t, d, p) ramie_library_has_asan_##a##_tsan_##t##_assertions_##d##_other_provider_##p
#define RAMIE_EXPAND_NAME(a, t, d, p) RAMIE_JOIN_NAME(a, t, d, p)
#define RAMIE_LIBRARY_NAME RAMIE_EXPAND_NAME(RAMIE_ASAN, RAMIE_TSAN, RAMIE_ASSERTIONS, RAMIE_OTHER_PROVIDER)
