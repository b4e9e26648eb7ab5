// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "frontends/tokenizer/byte_encoder.h"
#include "frontends/tokenizer/tokenizer_data.h"
#include "frontends/tokenizer/vocabulary.h"

namespace infer {

// A vocabulary of the 256 bytes in order, and what a test adds to it. Id 0 ends a text.
class TestVocabulary {
 public:
  TestVocabulary() {
    for (int byte = 0; byte < 256; ++byte) {
      Add(std::string(ByteToAlphabet(static_cast<uint8_t>(byte))), TokenType::kNormal);
    }
  }
  int32_t Add(const std::string& text, TokenType type) {
    texts_.push_back(text);
    data_.tokens.push_back(texts_.back());
    data_.types.push_back(static_cast<int32_t>(type));
    return static_cast<int32_t>(data_.tokens.size() - 1);
  }
  // Adds the joined token of "LEFT RIGHT" too.
  int32_t Merge(const std::string& left, const std::string& right) {
    texts_.push_back(left + " " + right);
    data_.merges.push_back(texts_.back());
    return Add(left + right, TokenType::kNormal);
  }
  // Valid as long as this object lives.
  TokenizerData Data() const {
    TokenizerData data = data_;
    data.model = "gpt2";
    data.pre = "qwen2";
    data.eos = 0;
    return data;
  }

 private:
  std::deque<std::string> texts_;  // a deque never moves its elements
  TokenizerData data_;
};

inline int32_t ByteId(char byte) { return static_cast<uint8_t>(byte); }

}  // namespace infer
