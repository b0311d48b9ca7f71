#include "library/version.hpp"

#include <fmt/format.h>
#include <ramie/base/provider.hpp>
#include <ramie/stack/guard.hpp>

#include "framework/machine.hpp"

namespace bench {

std::string version_text() {
  const machine m = describe_machine();
  const bool marker = ramie::stack::best_guard() == ramie::stack::guard_kind::guard_install;
  return fmt::format("ramie {}\nbuilt by {}{}{}\n{}: stack guards by {}, light fences {} membarrier\n", RAMIE_VERSION,
                     m.compiler, m.flags.empty() ? "" : ", ", m.flags, m.kernel,
                     marker ? "MADV_GUARD_INSTALL" : "mprotect (MADV_GUARD_INSTALL: Linux 6.13)",
                     ramie::std_provider::light_fences_are_free() ? "by" : "without");
}

}  // namespace bench
