// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "absl/status/statusor.h"
#include "frontends/grammar/grammar.h"

namespace infer {

// Compiles a grammar in GBNF, the notation of llama.cpp: rules `name ::= ...` with literals,
// character classes, groups, `|`, `* + ? {m} {m,} {m,n}`, `.` and comments from `#`. The text is
// what `root` matches. Errors name the line and column; refused are undefined and repeated rules,
// left recursion, and grammars that no text matches.
absl::StatusOr<std::shared_ptr<const Grammar>> CompileGbnf(std::string_view text);

}  // namespace infer
