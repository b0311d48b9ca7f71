// Threads of the machine that the library is built for: kernel threads, or simulated ones.
#pragma once

#include <ramie/base/provider.hpp>

#include <functional>
#include <memory>
#include <system_error>
#include <utility>

namespace ramie::test {

/// Joins when it is destroyed.
class thread {
 public:
  explicit thread(std::function<void()> body) : m_body(std::make_unique<std::function<void()>>(std::move(body))) {
    const auto call = [](void* argument) -> void* {
      (*static_cast<std::function<void()>*>(argument))();
      return nullptr;
    };
    const int error = native_provider::start_thread(m_thread, call, m_body.get());
    if (error != 0) throw std::system_error(error, std::generic_category(), "a test's thread");
  }
  thread(thread&& other) = default;
  thread& operator=(thread&& other) = delete;
  ~thread() { join(); }

  void join() {
    if (m_body == nullptr) return;
    native_provider::join_thread(m_thread);
    m_body.reset();
  }

 private:
  std::unique_ptr<std::function<void()>> m_body;  // null: joined
  native_provider::thread m_thread{};
};

}  // namespace ramie::test
