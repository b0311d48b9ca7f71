// Peers that are programs of their own: where they are, and what to say when they are not.
#pragma once

#include <optional>
#include <string>

namespace bench {

class peer_programs {
 public:
  /// `wanted`: the user asked for peers. `directory`: where to look; empty: build/peers of the build tree that this
  /// executable lies in.
  peer_programs(bool wanted, std::string directory);

  [[nodiscard]] bool wanted() const { return m_wanted; }
  /// The executable `name`, for example "switch_go", if peers are wanted and it is there.
  [[nodiscard]] std::optional<std::string> find(const std::string& name) const;
  /// A sentence for a peer that find() did not find.
  [[nodiscard]] std::string how_to_get(const std::string& name) const;

 private:
  bool m_wanted;
  std::string m_directory;
};

}  // namespace bench
