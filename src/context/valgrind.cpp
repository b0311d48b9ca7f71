// Here and not in the header, so that only this file depends on whether Valgrind's header is installed.
#include <ramie/context/valgrind.hpp>

#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#else
#define VALGRIND_STACK_REGISTER(bottom, top) ((void)(bottom), (void)(top), 0U)
#define VALGRIND_STACK_DEREGISTER(number) ((void)(number))
#endif

namespace ramie::context {

unsigned register_with_valgrind(void* bottom, void* top) noexcept { return VALGRIND_STACK_REGISTER(bottom, top); }
void unregister_with_valgrind(unsigned number) noexcept { VALGRIND_STACK_DEREGISTER(number); }

}  // namespace ramie::context
