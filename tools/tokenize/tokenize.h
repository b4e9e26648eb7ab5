// SPDX-License-Identifier: Apache-2.0
//
// Produces what infer-tokenize prints. Flags, files and models are read by the command.
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
  kIds,   // the ids on one line, comma-separated
  kJson,  // {"count": N, "ids": [...], "tokens": [{"id", "piece", "type"}, ...]}
};

// Returns the tokens of `text`, ending with a newline.
absl::StatusOr<std::string> TokenizeText(const Tokenizer& tokenizer, std::string_view text,
                                         TokenizeFormat format, const EncodeOptions& options);

// Returns ids in one of the formats, ending with a newline.
std::string FormatTokens(const Vocabulary& vocabulary, const std::vector<int32_t>& ids,
                         TokenizeFormat format);

// Returns the bytes that a list such as "1,2,3" stands for; for kJson {"text": ...}, in which bytes
// that are not UTF-8 become U+FFFD. Only kJson ends with a newline.
absl::StatusOr<std::string> DetokenizeIds(const Tokenizer& tokenizer, std::string_view id_list,
                                          TokenizeFormat format, const DecodeOptions& options);

// Parses ids separated by commas; white space around each is allowed. An empty text has none.
absl::StatusOr<std::vector<int32_t>> ParseIdList(std::string_view id_list);

// Returns the token's bytes in visible form: \n, \r, \t, \\ and \xNN for control characters and for
// bytes that are not UTF-8 by themselves; everything else unchanged. An unused token shows its name
// in the file.
std::string VisiblePiece(const Vocabulary& vocabulary, int32_t id);

}  // namespace infer
