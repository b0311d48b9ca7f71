// How small a piece of a span is small enough for one job.
#pragma once

#include <concepts>
#include <cstddef>

namespace ramie::job {

/// splits<T>(count): whether a piece of `count` elements of type T, two or more, is to be halved once more.
template <class Splitter>
concept splitter = std::copy_constructible<Splitter> && requires(const Splitter& s, std::size_t count) {
  { s.template splits<int>(count) } -> std::same_as<bool>;
};

/// Pieces of at most so many elements; 0 is taken as 1.
class count_splitter {
 public:
  explicit constexpr count_splitter(std::size_t most) : m_most(most > 0 ? most : 1) {}
  template <class>
  [[nodiscard]] constexpr bool splits(std::size_t count) const {
    return count > m_most;
  }

 private:
  std::size_t m_most;
};

/// Pieces of at most so many bytes: as much as a cache holds, for example.
class data_size_splitter {
 public:
  explicit constexpr data_size_splitter(std::size_t most) : m_most(most) {}
  template <class T>
  [[nodiscard]] constexpr bool splits(std::size_t count) const {
    return count > m_most / sizeof(T);
  }

 private:
  std::size_t m_most;
};

}  // namespace ramie::job
