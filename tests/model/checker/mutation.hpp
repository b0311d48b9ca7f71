// Faults put into the code under test, to see that its models find them.
//
// Every operation says where it stands in the source, so a fault needs no other source: at that place an order is
// weaker, a read-modify-write falls apart into a load and a store, a fence or a wake-up is missing.
#pragma once

#include <model/checker/event.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace ramie::model {

enum class operation : std::uint8_t {
  load,
  store,
  update,
  compare_exchange,
  fence,
  light_fence,
  heavy_fence,
  wake,
  lock
};

/// An operation that the code under test has performed.
struct place_in_code {
  site where;
  operation what = operation::load;
  std::memory_order order = std::memory_order_relaxed;
  std::memory_order failure = std::memory_order_relaxed;
};

struct mutant {
  enum class fault : std::uint8_t {
    none,
    weaker_order,    // `order` instead
    weaker_failure,  // `order` instead, where a compare_exchange fails
    torn,            // a read-modify-write becomes a load and a store
    missing          // a fence, a wake-up or taking a lock is left out
  };
  place_in_code at;
  fault how = fault::none;
  std::memory_order order = std::memory_order_relaxed;

  [[nodiscard]] std::string text() const;
};

/// Every fault that this place can have.
[[nodiscard]] std::vector<mutant> mutants_of(const place_in_code& place);
[[nodiscard]] const char* name_of(std::memory_order order);
[[nodiscard]] std::string text_of(const site& where);

/// The mutation in force now, and the operations that were met. One for the process.
class mutation {
 public:
  static inline const mutant* active = nullptr;
  static inline std::vector<place_in_code>* met = nullptr;  // where places are collected, if they are

  /// An operation is about to happen: notes it and returns the fault in force there.
  static mutant::fault apply(operation what, site where, std::memory_order& order,
                             std::memory_order* failure = nullptr);
};

}  // namespace ramie::model
