// SPDX-License-Identifier: Apache-2.0
#include "backends/scalar/rope_angles.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace infer::scalar {

namespace {

// Returns the pair that makes `turns` full rotations over the whole training context.
double PairOfTurns(const ops::RopeParams& rope, int64_t head_dim, double turns) {
  const double positions_per_turn = static_cast<double>(rope.original_context) / turns;
  return static_cast<double>(head_dim) * std::log(positions_per_turn / (2 * std::numbers::pi)) /
         (2 * std::log(rope.base));
}

// YaRN: pairs that rotate often within the training context keep their angle (1), pairs that rotate
// less than about once are scaled as in linear scaling (0), with a ramp in between.
double UnscaledShare(const ops::RopeParams& rope, int64_t head_dim, int64_t pair) {
  if (rope.ext_factor == 0) return 0;
  // Rounded to whole pairs, as the paper's authors, transformers and llama.cpp all do.
  const double low = std::max(0.0, std::floor(PairOfTurns(rope, head_dim, rope.beta_fast)));
  const double high = std::min(static_cast<double>(head_dim - 1),
                               std::ceil(PairOfTurns(rope, head_dim, rope.beta_slow)));
  const double ramp = (static_cast<double>(pair) - low) / std::max(0.001, high - low);
  return rope.ext_factor * (1.0 - std::clamp(ramp, 0.0, 1.0));
}

}  // namespace

// Rounds to float in the same places as transformers: a float angle of 1000 radians has only 14
// bits after the binary point, and the models' reference logits were computed with those angles.
// Exact angles would be more accurate but match worse.
float AnglePerPosition(const ops::RopeParams& rope, int64_t head_dim, int64_t pair) {
  const float exponent = static_cast<float>(2 * pair) / static_cast<float>(head_dim);
  const float wavelength = static_cast<float>(std::pow(rope.base, exponent));
  const double factor = rope.factors.empty() ? 1.0 : rope.factors[pair];
  const double unscaled = (1.0f / wavelength) / factor;
  const double scaled = unscaled * rope.freq_scale;
  const double share = UnscaledShare(rope, head_dim, pair);
  return static_cast<float>(scaled * (1.0 - share) + unscaled * share);
}

// YaRN scales q and k to sharpen attention, which longer contexts flatten.
double RopeMagnitude(const ops::RopeParams& rope) {
  if (rope.ext_factor == 0) return rope.attn_factor;
  return rope.attn_factor * (1.0 + 0.1 * std::log(1.0 / rope.freq_scale));
}

}  // namespace infer::scalar
