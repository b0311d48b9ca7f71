// std::less, std::greater, std::plus, std::multiplies, and the counterparts in std::ranges.
//
// The standard promises them of <functional> alone, which brings much that is not used here (base/invoke.hpp).
// libstdc++ has them in headers of their own, which its <string> and <iterator> include. Where these have not come, be
// it another library, <functional> is included after all.
#pragma once

#include <iterator>
#include <string>

#if !defined(_STL_FUNCTION_H) || !defined(_RANGES_CMP_H)
#include <functional>
#endif
