// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/gguf/metadata.h"
#include "ir/base/json.h"
#include "tools/gguf_inspect/name_filter.h"
#include "tools/report/text_table.h"

namespace infer {

struct TokenRow {
  uint64_t id = 0;
  std::string_view type;  // "normal", "control", ...
  std::string_view text;
};
// Returns the tokens that the filter matches; none if the file has no vocabulary.
absl::StatusOr<std::vector<TokenRow>> Tokens(const Metadata& metadata, const NameFilter& filter);
TextTable TokenTable(const std::vector<TokenRow>& tokens);

// Returns every tokenizer key except the lists, the lengths of the lists, and special ids with
// their text.
absl::StatusOr<std::string> TokenizerSummary(const Metadata& metadata);
absl::StatusOr<Json> TokenizerJson(const Metadata& metadata, const NameFilter& filter);

}  // namespace infer
