// expect: to non-scalar type ‘ramie::bytes’ | no viable conversion from 'int' to 'ramie::bytes'
#include <ramie/base/units.hpp>

using namespace ramie::literals;

ramie::bytes stack_size = 64_KiB;

#ifdef RAMIE_MISUSE
ramie::bytes mistaken = 64;  // 64 of what?
#endif
