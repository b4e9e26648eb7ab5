// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace infer {

// Converts the token ids of one stream to text as they arrive. The runtime works on ids and has no
// tokenizer: tools supply the decoder.
class TextDecoder {
 public:
  virtual ~TextDecoder() = default;

  // Appends to `out` the text that is complete after `id`; never splits a UTF-8 sequence.
  virtual void Append(int32_t id, std::string* out) = 0;

  // Appends the bytes of an unfinished sequence as they are, and resets the decoder.
  virtual void Flush(std::string* out) = 0;
};

}  // namespace infer
