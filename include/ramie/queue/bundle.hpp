// Up to 64 items that go together: see injector.hpp.
#pragma once

#include <ramie/base/provider.hpp>

#include <cstddef>

namespace ramie::queue {

inline constexpr std::size_t bundle_capacity = 64;

/// The array is not initialized: a bundle on a stack costs what is written to it.
template <class Node, class Provider = native_provider>
struct bundle {
  template <class T>
  using plain = typename Provider::template plain<T>;

  plain<bundle*> next = nullptr;
  plain<std::size_t> count = 0;
  plain<Node*> items[bundle_capacity];  // NOLINT(cppcoreguidelines-pro-type-member-init)
};

}  // namespace ramie::queue
