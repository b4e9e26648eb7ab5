// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace infer {

// A tokenizer as a model file states it, unchecked. The views point into the caller's memory (a
// mapped file) and are read only while a Tokenizer is created.
struct TokenizerData {
  std::string model;  // tokenizer.ggml.model
  std::string pre;    // tokenizer.ggml.pre
  std::vector<std::string_view> tokens;
  std::vector<int32_t> types;            // tokenizer.ggml.token_type, one per token
  std::vector<std::string_view> merges;  // "LEFT RIGHT", best first
  std::optional<int64_t> bos;
  std::optional<int64_t> eos;
  std::optional<int64_t> eot;
  std::optional<int64_t> pad;
  std::optional<bool> add_bos;  // not set: as is usual for `pre`
  bool add_eos = false;
};

}  // namespace infer
