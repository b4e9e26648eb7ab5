// SPDX-License-Identifier: Apache-2.0
//
// Cuts a template into text and tokens. White space is removed here: around tags with a minus,
// after blocks (trim_blocks) and before blocks that begin a line (lstrip_blocks), as Hugging Face
// configures Jinja.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace infer::chat {

enum class TokenKind : uint8_t {
  kText,      // outside of tags
  kPrint,     // {{
  kPrintEnd,  // }}
  kBlock,     // {%
  kBlockEnd,  // %}
  kName,
  kInteger,
  kFloat,
  kString,    // its text has no quotes and no escapes
  kOperator,  // its text is the operator
  kEnd,       // of the template
};

struct Token {
  TokenKind kind;
  size_t offset;  // in the template
  std::string text;
};

absl::StatusOr<std::vector<Token>> LexTemplate(std::string_view source);

// Returns "line 3, column 7" of an offset; columns count characters from 1.
std::string PlaceOf(std::string_view source, size_t offset);

// Every error that has a place begins with this.
inline constexpr std::string_view kTemplateErrorStart = "chat template, ";

absl::Status TemplateError(std::string_view source, size_t offset, std::string_view message);

}  // namespace infer::chat
