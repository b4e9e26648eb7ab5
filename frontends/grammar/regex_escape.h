// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "frontends/grammar/code_point_set.h"
#include "frontends/grammar/text_cursor.h"

namespace infer {

CodePointSet SingleCodePoint(uint32_t code_point);

// Reads what follows a backslash in a pattern: the characters that it stands for. `in_class`: it is
// within [...].
absl::StatusOr<CodePointSet> ReadRegexEscape(bool in_class, TextCursor* in);

}  // namespace infer
