// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "absl/status/statusor.h"
#include "frontends/gguf/reader.h"
#include "frontends/tokenizer/tokenizer.h"

namespace infer {

// Reads the tokenizer keys of a model file and checks only their types; the result has views into
// the file.
absl::StatusOr<TokenizerData> ReadTokenizerData(const GgufFile& file);

// Loads the tokenizer of a model file. An error names the file and the key.
absl::StatusOr<Tokenizer> LoadTokenizer(const GgufFile& file);

}  // namespace infer
