// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace infer {

// Turns the ids of one stream into text as they arrive. The runtime works on ids and knows no
// tokenizer: tools hand it one of these.
class TextDecoder {
 public:
  virtual ~TextDecoder() = default;

  // Appends to `out` the text that is complete after `id`: no UTF-8 sequence is ever cut.
  virtual void Append(int32_t id, std::string* out) = 0;

  // Appends the bytes of an unfinished sequence as they are, and starts over.
  virtual void Flush(std::string* out) = 0;
};

}  // namespace infer
