// Durations, time points and clocks: all of <chrono> that ramie uses.
//
// In libstdc++ 12, in C++20, <chrono> is 46,000 lines, since it brings calendars and, by way of strings and streams,
// what they are written with; later ones add formats and the data base of time zones. A program that includes
// <ramie/ramie.hpp> would compile all that and use none. libstdc++ keeps durations and clocks in a header of their own,
// which its <condition_variable> and <semaphore> include for the same reason; where it has that name, it is enough.
// Programs that use more of <chrono> include it.
#pragma once

#include <cstddef>  // says which library this is

#if defined(__GLIBCXX__) && __has_include(<bits/chrono.h>)
#include <bits/chrono.h>
#else
#include <chrono>
#endif
