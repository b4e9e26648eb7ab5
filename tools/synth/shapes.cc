// SPDX-License-Identifier: Apache-2.0
#include "tools/synth/shapes.h"

namespace infer {
namespace {

constexpr ModelShape Qwen2(ModelShape shape, uint32_t vocabulary_tokens) {
  shape.family = SynthFamily::kQwen2;
  shape.context_tokens = 32768;
  shape.vocabulary_tokens = vocabulary_tokens;
  return shape;
}

constexpr ModelShape Llama3(ModelShape shape) {
  shape.family = SynthFamily::kLlama;
  shape.rope_base = 5e5f;
  shape.rms_epsilon = 1e-5f;
  shape.context_tokens = 131072;
  shape.vocabulary_tokens = 128256;
  return shape;
}

constexpr ModelShape WithExperts(ModelShape shape, uint32_t experts, uint32_t used,
                                 uint32_t feed_forward) {
  shape.experts = experts;
  shape.experts_used = used;
  shape.expert_feed_forward = feed_forward;
  return shape;
}

// Layers, hidden, heads, kv heads, head size, feed forward, tied; the rest follows from the family.
constexpr NamedShape kShapes[] = {
    {"0.6b", {28, 1024, 16, 8, 128, 3072, true}},
    {"1.7b", {28, 2048, 16, 8, 128, 6144, true}},
    {"4b", {36, 2560, 32, 8, 128, 9728, true}},
    {"8b", {36, 4096, 32, 8, 128, 12288, false}},
    {"14b", {40, 5120, 40, 8, 128, 17408, false}},
    {"32b", {64, 5120, 64, 8, 128, 25600, false}},
    {"30b-a3b", WithExperts({48, 2048, 32, 4, 128, 6144, false}, 128, 8, 768)},
    {"235b-a22b", WithExperts({94, 4096, 64, 4, 128, 12288, false}, 128, 8, 1536)},
    {"qwen2.5-0.5b", Qwen2({24, 896, 14, 2, 64, 4864, true}, 151936)},
    {"qwen2.5-1.5b", Qwen2({28, 1536, 12, 2, 128, 8960, true}, 151936)},
    {"qwen2.5-3b", Qwen2({36, 2048, 16, 2, 128, 11008, true}, 151936)},
    {"qwen2.5-7b", Qwen2({28, 3584, 28, 4, 128, 18944, false}, 152064)},
    {"qwen2.5-14b", Qwen2({48, 5120, 40, 8, 128, 13824, false}, 152064)},
    {"qwen2.5-32b", Qwen2({64, 5120, 40, 8, 128, 27648, false}, 152064)},
    {"qwen2.5-72b", Qwen2({80, 8192, 64, 8, 128, 29568, false}, 152064)},
    {"llama3.2-1b", Llama3({16, 2048, 32, 8, 64, 8192, true})},
    {"llama3.2-3b", Llama3({28, 3072, 24, 8, 128, 8192, true})},
    {"llama3.1-8b", Llama3({32, 4096, 32, 8, 128, 14336, false})},
    {"llama3.1-70b", Llama3({80, 8192, 64, 8, 128, 28672, false})},
};

}  // namespace

std::span<const NamedShape> AllShapes() { return kShapes; }

std::optional<ModelShape> FindShape(std::string_view name) {
  for (const NamedShape& named : kShapes) {
    if (named.name == name) return named.shape;
  }
  return std::nullopt;
}

}  // namespace infer
