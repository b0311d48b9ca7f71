// The little of HTML that the report needs.
#pragma once

#include <string>
#include <string_view>

namespace bench::html {

/// `text` as character data or as an attribute's value in double quotes. Bytes that are no UTF-8 become U+FFFD, and
/// control characters that HTML forbids vanish.
[[nodiscard]] std::string escape(std::string_view text);

/// <name attributes>inside</name>. `attributes` begins with a space or is empty; `inside` is HTML already.
[[nodiscard]] std::string element(std::string_view name, std::string_view attributes, std::string_view inside);

[[nodiscard]] std::string base64(std::string_view bytes);

/// The file:// address of an absolute path.
[[nodiscard]] std::string file_url(std::string_view path);

}  // namespace bench::html
