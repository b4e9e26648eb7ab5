// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "absl/status/statusor.h"
#include "frontends/gguf/reader.h"
#include "frontends/tokenizer/tokenizer.h"

namespace infer {

// The tokenizer keys of a model file, nothing checked but their types; views into the file.
absl::StatusOr<TokenizerData> ReadTokenizerData(const GgufFile& file);

// The tokenizer that a model file carries. An error names the file and the key.
absl::StatusOr<Tokenizer> LoadTokenizer(const GgufFile& file);

}  // namespace infer
