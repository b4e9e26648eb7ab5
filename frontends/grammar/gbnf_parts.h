// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "frontends/grammar/code_point_set.h"
#include "frontends/grammar/text_cursor.h"

namespace infer {

// Reads a character of a literal or class, which may be escaped.
absl::StatusOr<uint32_t> ReadGbnfCharacter(TextCursor* in);

// Reads a class from after [ to after ].
absl::StatusOr<CodePointSet> ReadGbnfClass(TextCursor* in);

}  // namespace infer
