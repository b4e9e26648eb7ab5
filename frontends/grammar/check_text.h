// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "frontends/grammar/grammar.h"

namespace infer {

// Where a text leaves a grammar.
struct TextRefusal {
  size_t byte = 0;  // the first that is refused; the length of the text if it ends too early
  size_t line = 1;
  size_t column = 1;     // in bytes
  std::string found;     // "end of the text", or the byte in quotes
  std::string expected;  // what could have come instead
};

// Returns nothing if the grammar allows the whole text.
std::optional<TextRefusal> CheckText(const std::shared_ptr<const Grammar>& grammar,
                                     std::string_view text);

}  // namespace infer
