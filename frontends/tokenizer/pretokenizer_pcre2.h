// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "absl/status/statusor.h"
#include "frontends/tokenizer/pretokenizer.h"

namespace infer {

// The regexes of MakeScanningPretokenizer for PCRE2, with 1 and 3 digits. They spell \s out, since
// PCRE2's \s includes U+180E and that of Hugging Face's engine does not.
extern const std::string_view kQwen2SplitRegex;
extern const std::string_view kLlama3SplitRegex;

// Splits by any regex (PCRE2 syntax, with UTF and Unicode properties). Text between two matches is
// a word too. Slower than the scanner: for regexes that the scanner does not implement, and for
// checking it.
absl::StatusOr<std::unique_ptr<Pretokenizer>> MakePcre2Pretokenizer(std::string_view regex);

}  // namespace infer
