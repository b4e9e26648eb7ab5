// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "absl/status/statusor.h"
#include "frontends/tokenizer/pretokenizer.h"

namespace infer {

// The regex of MakeQwen2Pretokenizer for PCRE2. It spells \s out, since PCRE2's has U+180E in it
// and that of Hugging Face's engine has not.
extern const std::string_view kQwen2SplitRegex;

// Splits by any regex (PCRE2 syntax, UTF and Unicode properties on). Text between two matches is a
// word too. Slower than the scanner: for regexes it does not know, and to check it.
absl::StatusOr<std::unique_ptr<Pretokenizer>> MakePcre2Pretokenizer(std::string_view regex);

}  // namespace infer
