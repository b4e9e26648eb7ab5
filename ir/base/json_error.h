// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace infer {

// What nlohmann::json says about a text, without the name of the exception in front:
// "[json.exception.parse_error.101] parse error at line 1, ...".
inline std::string_view JsonErrorText(std::string_view what) {
  if (const size_t end = what.find("] "); end != std::string_view::npos)
    what.remove_prefix(end + 2);
  return what;
}

}  // namespace infer
