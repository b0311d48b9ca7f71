#include "c/error.hpp"

#include <ramie/base/assert.hpp>

#include <algorithm>
#include <new>
#include <string>
#include <system_error>

namespace ramie::c {
namespace {

// Of a fixed size, so that a failure for want of memory can be told, and one in a thread's last destructors.
constexpr std::size_t longest_sentence = 1023;
thread_local constinit char last_sentence[longest_sentence + 1] = "";

std::string was_given_null(const char* function, const char* what) {
  return std::string(function) + " was given NULL as " + what;
}

}  // namespace

// A fiber may be on another kernel thread when it fails next, so the address of the thread's text must not live in a
// function that switches. Here it cannot: this function is called, not inlined, and the barrier keeps a compiler from
// taking it for one whose result could be reused.
[[gnu::noinline]] int failed(ramie_error code, std::string_view sentence) noexcept {
  asm volatile("" ::: "memory");
  constexpr std::string_view cut = "...";
  const std::size_t length = std::min(sentence.size(), longest_sentence);
  std::copy_n(sentence.data(), length, last_sentence);
  if (length < sentence.size()) std::copy_n(cut.data(), cut.size(), last_sentence + length - cut.size());
  last_sentence[length] = '\0';
  return code;
}

int failed() noexcept {
  try {
    throw;
  } catch (const bad_argument& error) {
    return failed(RAMIE_ERROR_ARGUMENT, error.what());
  } catch (const unknown_option& error) {
    return failed(RAMIE_ERROR_UNKNOWN_OPTION, error.what());
  } catch (const bad_option& error) {
    return failed(RAMIE_ERROR_OPTION, error.what());
  } catch (const std::bad_alloc&) {
    return failed(RAMIE_ERROR_MEMORY, "there is no memory; free some, or raise the process's limit");
  } catch (const spawn_error& error) {
    return failed(RAMIE_ERROR_STACK, error.what());
  } catch (const std::system_error& error) {
    return failed(RAMIE_ERROR_THREAD, error.what());
  } catch (const misuse& error) {
    return failed(RAMIE_ERROR_MISUSE, error.what());
  } catch (...) {
    return escaped();
  }
}

int escaped() noexcept {
  try {
    throw;
  } catch (const spawn_error& error) {
    return failed(RAMIE_ERROR_STACK, error.what());
  } catch (const std::exception& error) {
    return failed(RAMIE_ERROR_EXCEPTION, error.what());
  } catch (...) {
    return failed(RAMIE_ERROR_EXCEPTION, "an exception that is no std::exception");
  }
}

void expect(const void* given, const char* function, const char* what) {
  if (given == nullptr) throw bad_argument(was_given_null(function, what));
}

void require(const void* given, const char* function, const char* what) {
  if (given == nullptr) detail::fail(was_given_null(function, what));
}

}  // namespace ramie::c

int ramie_version() { return RAMIE_VERSION; }

const char* ramie_strerror(int error) {
  switch (error) {
    case RAMIE_OK: return "no error";
    case RAMIE_ERROR_ARGUMENT: return "an argument is NULL or out of range";
    case RAMIE_ERROR_OPTION: return "an option has a value that cannot work";
    case RAMIE_ERROR_UNKNOWN_OPTION: return "an option is set that this version of ramie does not know";
    case RAMIE_ERROR_MEMORY: return "no memory";
    case RAMIE_ERROR_STACK: return "no stack for a fiber";
    case RAMIE_ERROR_THREAD: return "a kernel thread could not be started";
    case RAMIE_ERROR_MISUSE: return "called where it must not be";
    case RAMIE_ERROR_EXCEPTION: return "a C++ exception left the function";
    default: return "no error of ramie has this number";
  }
}

// Not inlined into what could keep the address, see failed().
[[gnu::noinline]] const char* ramie_last_error() {
  asm volatile("" ::: "memory");
  return ramie::c::last_sentence;
}
