// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "frontends/tokenizer/tokenizer.h"

namespace infer {

// Turns tokens into text as they arrive. A token may end inside a UTF-8 sequence; those bytes (at
// most 3) are held back until the rest arrives. Bytes that can never become valid are passed on at
// once, so the concatenated output is byte for byte what Tokenizer::Decode gives. One stream per
// object; the tokenizer must outlive it.
class StreamingDecoder {
 public:
  explicit StreamingDecoder(const Tokenizer* tokenizer, const DecodeOptions& options = {})
      : tokenizer_(tokenizer), options_(options) {}

  // Appends to `out` what is complete after this token. An id outside the vocabulary gives nothing.
  void Append(int32_t id, std::string* out);

  // Appends the held bytes unchanged and starts over.
  void Flush(std::string* out);

 private:
  const Tokenizer* tokenizer_;
  DecodeOptions options_;
  std::string pending_;
};

}  // namespace infer
