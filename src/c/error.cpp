#include "c/error.hpp"

#include <ramie/base/assert.hpp>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <new>
#include <pthread.h>
#include <string>
#include <system_error>

namespace ramie::c {
namespace {

constexpr std::size_t longest_sentence = 1023;
constexpr const char* no_memory = "there is no memory; free some, or raise the process's limit";

// A kernel thread's sentence: null before its first failure; then a block of its own, or no_memory where there was
// none. Not thread_local: its address would have to be kept from living across a switch, and all that libramie.so has
// of those takes from the 512 bytes that the C library keeps for what dlopen() loads, because one of them needs a fixed
// place (context/thread_slot.hpp). pthread_getspecific() is a call, made afresh each time.
class thread_sentence {
 public:
  static const char* get() {
    const slot& mine = of_this_thread();
    return mine.made ? static_cast<const char*>(::pthread_getspecific(mine.key)) : nullptr;
  }

  static void set(std::string_view sentence) {
    const slot& mine = of_this_thread();
    if (!mine.made) return;
    void* held = ::pthread_getspecific(mine.key);
    if (held == nullptr || held == no_memory) {
      held = std::malloc(longest_sentence + 1);
      if (::pthread_setspecific(mine.key, held != nullptr ? held : no_memory) != 0) {
        std::free(held);
        return;
      }
    }
    if (held != nullptr) copy(sentence, static_cast<char*>(held));
  }

 private:
  struct slot {
    slot() : made(::pthread_key_create(&key, &forget) == 0) {}
    ~slot() {  // the library may be unloaded, and forget() with it
      if (made) ::pthread_key_delete(key);
    }
    slot(const slot&) = delete;
    slot& operator=(const slot&) = delete;

    pthread_key_t key{};
    const bool made;
  };

  static const slot& of_this_thread() {
    static const slot made_once;
    return made_once;
  }

  static void forget(void* held) {
    if (held != no_memory) std::free(held);
  }

  static void copy(std::string_view sentence, char* to) {
    constexpr std::string_view cut = "...";
    const std::size_t length = std::min(sentence.size(), longest_sentence);
    std::copy_n(sentence.data(), length, to);
    if (length < sentence.size()) std::copy_n(cut.data(), cut.size(), to + length - cut.size());
    to[length] = '\0';
  }
};

std::string was_given_null(const char* function, const char* what) {
  return std::string(function) + " was given NULL as " + what;
}

}  // namespace

int failed(ramie_error code, std::string_view sentence) noexcept {
  thread_sentence::set(sentence);
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
    return failed(RAMIE_ERROR_MEMORY, no_memory);
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
  if (std::current_exception() == nullptr) {  // unwinding that is no exception, and may not be stopped
    detail::fail("a function that C gave to ramie ended its kernel thread (pthread_exit, or pthread_cancel).",
                 "The thread belongs to the runtime: return from the function.");
  }
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

void throw_given_null(const char* function, const char* what) { throw bad_argument(was_given_null(function, what)); }
void fail_given_null(const char* function, const char* what) { detail::fail(was_given_null(function, what)); }

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

const char* ramie_last_error() {
  const char* const sentence = ramie::c::thread_sentence::get();
  return sentence != nullptr ? sentence : "";
}
