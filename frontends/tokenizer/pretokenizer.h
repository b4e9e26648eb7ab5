// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"

namespace infer {

// Splits text into the words that BPE works on. Immutable, usable from any thread.
class Pretokenizer {
 public:
  virtual ~Pretokenizer() = default;

  // Calls `emit` with each word in order; joined, they are `text`, which must be valid UTF-8.
  virtual absl::Status Split(std::string_view text,
                             absl::FunctionRef<void(std::string_view word)> emit) const = 0;
};

// Makes the splitter of Qwen2 and Qwen3 (one digit a word) or of Llama 3 (up to three), a
// hand-written scanner that is equivalent to the regex
//   (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,max_digits}
//   | ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
// O(n), without recursion, and it never fails.
std::unique_ptr<Pretokenizer> MakeScanningPretokenizer(int max_digits);

}  // namespace infer
