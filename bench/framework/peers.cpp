#include "framework/peers.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

#include "framework/child.hpp"

namespace bench {
namespace {

namespace fs = std::filesystem;

// The executable is build/<preset>/bin/ramie, or build/bin/ramie without a preset.
std::string default_directory() {
  const fs::path bin = fs::path(own_path()).parent_path();
  const fs::path beside_presets = bin.parent_path().parent_path() / "peers";
  const fs::path beside_bin = bin.parent_path() / "peers";
  std::error_code error;
  return fs::is_directory(beside_bin, error) ? beside_bin.string() : beside_presets.string();
}

}  // namespace

peer_programs::peer_programs(bool wanted, std::string directory)
    : m_wanted(wanted), m_directory(directory.empty() ? default_directory() : std::move(directory)) {}

std::optional<std::string> peer_programs::find(const std::string& name) const {
  if (!m_wanted) return std::nullopt;
  std::string path = (fs::path(m_directory) / name).string();
  if (access(path.c_str(), X_OK) != 0) return std::nullopt;
  return path;
}

std::string peer_programs::how_to_get(const std::string& name) const {
  return fmt::format("{}: not in {}; bench/build_peers.sh builds it there, if its tools are installed", name,
                     m_directory);
}

}  // namespace bench
