// Whether an exception that is thrown here would end the process.
#pragma once

namespace ramie::detail {

/// Whether a `cancelled` that the caller throws would reach a function that no exception may leave (a destructor, most
/// often) before it reaches a handler. Looks through the frames of the calling stack as the search for a handler does;
/// some µs, about one a frame. Throws nothing, but must not be known for that: compilers leave the calls of functions
/// that throw nothing out of the tables, as they leave out what no exception may leave.
[[nodiscard]] bool throw_would_terminate();

}  // namespace ramie::detail
