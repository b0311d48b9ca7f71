// Compiled with -include of a header that must bring none of the large standard headers that ramie does without: each
// of them costs every program some hundredths of a second. (The names are those by which libstdc++ knows that a header
// has been included.)
#if defined(_GLIBCXX_FUNCTIONAL)
#error "<functional> has been included: base/invoke.hpp and base/function_objects.hpp are instead of it"
#endif
#if defined(_GLIBCXX_MEMORY)
#error "<memory> has been included: base/lifetime.hpp and base/dynamic_array.hpp are instead of it"
#endif
#if defined(_GLIBCXX_ALGORITHM)
#error "<algorithm> has been included: base/min_max.hpp is instead of it"
#endif
#if defined(_GLIBCXX_VECTOR)
#error "<vector> has been included: base/dynamic_array.hpp is instead of it"
#endif
#if defined(_GLIBCXX_CHRONO)
#error "<chrono> has been included: base/time.hpp is instead of it"
#endif
