// A library that overflow_test.cpp loads and unloads: it has the overflow report in it and shows nothing of it.
#include <ramie/stack/overflow.hpp>

extern "C" [[gnu::visibility("default")]] bool ramie_plugin_installs_reports() {
  return ramie::stack::overflow_report::install();
}
