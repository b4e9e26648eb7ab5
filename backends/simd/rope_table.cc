// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/rope_table.h"

#include <atomic>
#include <mutex>

#include "backends/scalar/rope_angles.h"
#include "backends/simd/chosen_vector.h"
#include "ir/ops/ops.h"

namespace infer::simd {
namespace {

// Every pair of angles that was computed, up to a fixed number so that a kernel never allocates.
struct KnownAngles {
  ops::RopeParams rope;
  int64_t head_dim;
  float angles[kMaxRopeHeadDim / 2];
};
constexpr int kMaxKnown = 8;
KnownAngles known[kMaxKnown];
std::atomic<int> num_known = 0;  // those before it are complete and never change
std::mutex add_mutex;

bool Same(const ops::RopeParams& a, const ops::RopeParams& b) {
  return a.base == b.base && a.freq_scale == b.freq_scale && a.ext_factor == b.ext_factor &&
         a.attn_factor == b.attn_factor && a.beta_fast == b.beta_fast &&
         a.beta_slow == b.beta_slow && a.original_context == b.original_context;
}

const float* FindKnown(const ops::RopeParams& rope, int64_t head_dim) {
  const int count = num_known.load(std::memory_order_acquire);
  for (int i = 0; i < count; ++i) {
    if (known[i].head_dim == head_dim && Same(known[i].rope, rope)) return known[i].angles;
  }
  return nullptr;
}

void Compute(const ops::RopeParams& rope, int64_t head_dim, float* angles) {
  for (int64_t pair = 0; pair < head_dim / 2; ++pair) {
    angles[pair] = scalar::AnglePerPosition(rope, head_dim, pair);
  }
}

const float* AddKnown(const ops::RopeParams& rope, int64_t head_dim) {
  std::lock_guard lock(add_mutex);
  if (const float* angles = FindKnown(rope, head_dim)) return angles;
  const int count = num_known.load(std::memory_order_relaxed);
  if (count == kMaxKnown) return nullptr;
  known[count].rope = rope;
  known[count].head_dim = head_dim;
  Compute(rope, head_dim, known[count].angles);
  num_known.store(count + 1, std::memory_order_release);
  return known[count].angles;
}

}  // namespace

RopeTable::RopeTable(std::span<const Attr> rope_attrs, int64_t head_dim) {
  const ops::RopeParams rope = ops::RopeParamsOf(rope_attrs);
  angles_ = FindKnown(rope, head_dim);
  if (angles_ == nullptr) angles_ = AddKnown(rope, head_dim);
  if (angles_ == nullptr) {
    Compute(rope, head_dim, own_angles_);
    angles_ = own_angles_;
  }
  magnitude_ = static_cast<float>(scalar::RopeMagnitude(rope));
  row_ = {.cosine = cosine_, .sine = sine_, .half = head_dim / 2};
}

const RopeRow& RopeTable::At(int32_t position) {
  ChosenVector().sin_cos(angles_, position, magnitude_, row_.half, cosine_, sine_);
  return row_;
}

}  // namespace infer::simd
