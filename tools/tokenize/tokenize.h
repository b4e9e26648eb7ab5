// SPDX-License-Identifier: Apache-2.0
//
// What infer-tokenize prints. Reading flags, files and models is the command's part.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/tokenizer/tokenizer.h"

namespace infer {

enum class TokenizeFormat {
  kText,  // a line "ID<tab>PIECE" per token
  kIds,   // the ids on one line, with commas
  kJson,  // {"count": N, "ids": [...], "tokens": [{"id", "piece", "type"}, ...]}
};

// The tokens of `text`, ending with a line end.
absl::StatusOr<std::string> TokenizeText(const Tokenizer& tokenizer, std::string_view text,
                                         TokenizeFormat format, const EncodeOptions& options);

// The bytes that a list such as "1,2,3" stands for; for kJson {"text": ...}, where bytes that are
// not UTF-8 are U+FFFD. Nothing is added at the end but for kJson.
absl::StatusOr<std::string> DetokenizeIds(const Tokenizer& tokenizer, std::string_view id_list,
                                          TokenizeFormat format, const DecodeOptions& options);

// Ids separated by commas, white space around each allowed. An empty list has none.
absl::StatusOr<std::vector<int32_t>> ParseIdList(std::string_view id_list);

// The token's bytes for the eye: \n, \r, \t, \\ and \xNN for controls and for bytes that are not
// UTF-8 by themselves; all else as it is. An unused token shows its name in the file.
std::string VisiblePiece(const Vocabulary& vocabulary, int32_t id);

}  // namespace infer
