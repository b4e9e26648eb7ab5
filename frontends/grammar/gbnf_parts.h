// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "frontends/grammar/code_point_set.h"
#include "frontends/grammar/text_cursor.h"

namespace infer {

// Moves over spaces, tabs and comments, and over the ends of lines if wanted.
void SkipGbnfSpace(TextCursor* in, bool over_lines);

// Reads a character of a literal or class, which may be escaped.
absl::StatusOr<uint32_t> ReadGbnfCharacter(TextCursor* in);

// Reads a class from after [ to after ].
absl::StatusOr<CodePointSet> ReadGbnfClass(TextCursor* in);

// How often an item may stand.
struct GbnfCount {
  uint32_t min = 0;
  uint32_t max = 0;
};

// Reads *, +, ?, {m}, {m,} or {m,n}; returns nothing if none of them follows.
absl::StatusOr<std::optional<GbnfCount>> ReadGbnfCount(TextCursor* in);

}  // namespace infer
