// SPDX-License-Identifier: Apache-2.0
//
// The published configurations of the model families that run.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace infer {

// Decides the names of metadata and tensors: Qwen2.5 has biases and no norms of heads, Llama 3 has
// neither and a vector of rope factors. Qwen3 with experts is one family with Qwen3.
enum class SynthFamily : uint8_t { kQwen3, kQwen2, kLlama };

struct ModelShape {
  uint32_t layers = 28;
  uint32_t hidden = 1024;
  uint32_t heads = 16;
  uint32_t kv_heads = 8;
  uint32_t head_dim = 128;
  uint32_t feed_forward = 3072;
  bool tied = true;  // the token matrix is also the output matrix
  float rope_base = 1e6f;
  float rms_epsilon = 1e-6f;
  uint32_t context_tokens = 40960;
  // 0: feed-forward blocks are dense.
  uint32_t experts = 0;
  uint32_t experts_used = 0;
  uint32_t expert_feed_forward = 0;
  SynthFamily family = SynthFamily::kQwen3;
  uint32_t vocabulary_tokens = 151936;  // rows of the token matrix
};

struct NamedShape {
  std::string_view name;  // as in --shape: "0.6b"
  ModelShape shape;
};

std::span<const NamedShape> AllShapes();
std::optional<ModelShape> FindShape(std::string_view name);

}  // namespace infer
