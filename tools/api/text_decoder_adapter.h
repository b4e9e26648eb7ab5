// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "frontends/tokenizer/streaming_decoder.h"
#include "runtime/text_decoder.h"

namespace infer {

// Adapts the tokenizer's decoder to the runtime's interface. Frontends and runtime do not include
// each other, so they are joined here. The tokenizer must outlive it.
class TextDecoderAdapter final : public TextDecoder {
 public:
  explicit TextDecoderAdapter(const Tokenizer* tokenizer, const DecodeOptions& options = {})
      : decoder_(tokenizer, options) {}

  void Append(int32_t id, std::string* out) override { decoder_.Append(id, out); }
  void Flush(std::string* out) override { decoder_.Flush(out); }

 private:
  StreamingDecoder decoder_;
};

}  // namespace infer
