// Standard output as commands of a pipeline must treat it: the reader may go away, and the disk may be full.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>

namespace bench {

/// Writes and flushes, and never throws. A problem is kept for output_status().
void put(const std::string& text);

/// `status`, unless put() met a problem: then 141 without a word where the reader went away (as if SIGPIPE had killed
/// this process), and otherwise a sentence on standard error and 1.
[[nodiscard]] int output_status(int status);

/// Standard output is a pipe that nobody reads any more. Cost: one system call.
[[nodiscard]] bool reader_gone();

/// Columns of the terminal behind `to` (COLUMNS where it does not say, else 80); 0 where `to` is no terminal.
[[nodiscard]] std::size_t terminal_columns(std::FILE* to);

}  // namespace bench
