#include <ramie/scheduler/fiber_local.hpp>

#include <ramie/base/futex_lock.hpp>
#include <ramie/base/provider.hpp>
#include <ramie/scheduler/fiber.hpp>
#include <ramie/scheduler/hand_over.hpp>

#include <mutex>
#include <vector>

namespace ramie::detail {

class local_values {
 public:
  struct value {
    std::uint64_t identity;
    void* object;
    void (*destroy)(void*) noexcept;
  };

  [[nodiscard]] void* find(std::size_t number, std::uint64_t identity) const noexcept {
    if (number >= m_places.size()) return nullptr;
    const std::size_t place = m_places[number];
    return place < m_values.size() && m_values[place].identity == identity ? m_values[place].object : nullptr;
  }
  void keep(std::size_t number, const value& fresh) {
    if (number >= m_places.size()) m_places.resize(number + 1, none);
    m_values.push_back(fresh);
    m_places[number] = m_values.size() - 1;  // an earlier fiber_local's value there is destroyed with the others
  }
  [[nodiscard]] bool empty() const noexcept { return m_values.empty(); }
  void destroy_newest() noexcept {
    const value last = m_values.back();
    m_values.pop_back();
    last.destroy(last.object);
  }

 private:
  static constexpr std::size_t none = ~std::size_t{0};
  std::vector<std::size_t> m_places;  // by number: where in m_values
  std::vector<value> m_values;        // in the order in which they were made
};

namespace {

constinit futex_lock<> g_lock;  // for the two below
constinit std::uint64_t g_identities = 0;
std::vector<std::size_t>& free_numbers() {
  static auto& numbers = *new std::vector<std::size_t>();  // fiber_locals with static storage may outlive all else
  return numbers;
}
constinit std::size_t g_numbers = 0;

std::size_t take_number() {
  const std::lock_guard guard(g_lock);
  if (free_numbers().empty()) {
    free_numbers().reserve(g_numbers + 1);  // so that giving it back cannot fail
    return g_numbers++;
  }
  const std::size_t number = free_numbers().back();
  free_numbers().pop_back();
  return number;
}

std::uint64_t take_identity() {
  const std::lock_guard guard(g_lock);
  return ++g_identities;
}

void end_values(local_values*& of) noexcept {
  while (!of->empty()) of->destroy_newest();
  delete std::exchange(of, nullptr);
}

// A thread's, while it runs no fiber.
struct values_of_thread {
  local_values* values = nullptr;
  ~values_of_thread() {
    if (values != nullptr) end_values(values);
  }
};

// No part of its callers, for the reason given in wait.cpp.
[[gnu::noinline]] local_values*& values_slot() {
  if (fiber* const running = running_fiber()) return running->locals;
  return native_provider::of_this_thread<values_of_thread>().values;
}

}  // namespace

local_key::local_key() : m_identity(take_identity()), m_number(take_number()) {}

local_key::~local_key() {
  const std::lock_guard guard(g_lock);
  free_numbers().push_back(m_number);
}

void* local_key::find() const noexcept {
  const local_values* const mine = values_slot();
  return mine != nullptr ? mine->find(m_number, m_identity) : nullptr;
}

void local_key::keep(void* value, void (*destroy)(void*) noexcept) const {
  local_values*& mine = values_slot();
  if (mine == nullptr) mine = new local_values();
  mine->keep(m_number, {m_identity, value, destroy});
}

void end_local_values() noexcept {
  local_values*& mine = values_slot();
  if (mine != nullptr) end_values(mine);
}

}  // namespace ramie::detail
