// A function of any type as an argument, so that its caller is compiled once.
#pragma once

#include <ramie/base/lifetime.hpp>

#include <utility>

namespace ramie::detail {

/// A function that outlives the call it is passed to. Two pointers; one indirect call.
template <class Signature>
class function_ref;
template <class Result, class... Arguments>
class function_ref<Result(Arguments...)> {
 public:
  template <class Function>
  function_ref(const Function& function)  // NOLINT(google-explicit-constructor): callers pass a lambda
      : m_function(address_of(function)), m_call([](const void* called, Arguments... arguments) -> Result {
          return (*static_cast<const Function*>(called))(std::forward<Arguments>(arguments)...);
        }) {}
  Result operator()(Arguments... arguments) const { return m_call(m_function, std::forward<Arguments>(arguments)...); }

 private:
  const void* m_function;
  Result (*m_call)(const void*, Arguments...);
};

}  // namespace ramie::detail
