// SPDX-License-Identifier: Apache-2.0
#include "tools/synth/shapes.h"

namespace infer {
namespace {

// layers, hidden, heads, kv heads, head size, feed forward, tied; the rest is the same for all of
// them.
constexpr Qwen3Shape WithExperts(Qwen3Shape shape, uint32_t experts, uint32_t used,
                                 uint32_t feed_forward) {
  shape.experts = experts;
  shape.experts_used = used;
  shape.expert_feed_forward = feed_forward;
  return shape;
}

constexpr NamedShape kShapes[] = {
    {"0.6b", {28, 1024, 16, 8, 128, 3072, true}},
    {"1.7b", {28, 2048, 16, 8, 128, 6144, true}},
    {"4b", {36, 2560, 32, 8, 128, 9728, true}},
    {"8b", {36, 4096, 32, 8, 128, 12288, false}},
    {"14b", {40, 5120, 40, 8, 128, 17408, false}},
    {"32b", {64, 5120, 64, 8, 128, 25600, false}},
    {"30b-a3b", WithExperts({48, 2048, 32, 4, 128, 6144, false}, 128, 8, 768)},
    {"235b-a22b", WithExperts({94, 4096, 64, 4, 128, 12288, false}, 128, 8, 1536)},
};

}  // namespace

std::span<const NamedShape> AllShapes() { return kShapes; }

std::optional<Qwen3Shape> FindShape(std::string_view name) {
  for (const NamedShape& named : kShapes) {
    if (named.name == name) return named.shape;
  }
  return std::nullopt;
}

}  // namespace infer
