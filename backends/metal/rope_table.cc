// SPDX-License-Identifier: Apache-2.0
#include "backends/metal/rope_table.h"

#include <list>
#include <mutex>
#include <vector>

#include "backends/scalar/rope_angles.h"

namespace infer::metal {
namespace {

struct Known {
  ops::RopeParams rope;
  int64_t head_dim;
  std::vector<float> angles;
};

bool Same(const ops::RopeParams& a, const ops::RopeParams& b) {
  return a.base == b.base && a.freq_scale == b.freq_scale && a.ext_factor == b.ext_factor &&
         a.beta_fast == b.beta_fast && a.beta_slow == b.beta_slow &&
         a.original_context == b.original_context;  // attn_factor changes no angle
}

}  // namespace

std::span<const float> RopeTable(const ops::RopeParams& rope, int64_t head_dim) {
  static std::mutex mutex;
  static auto& known = *new std::list<Known>;  // a list: its elements never move
  const std::lock_guard lock(mutex);
  for (const Known& entry : known) {
    if (entry.head_dim == head_dim && Same(entry.rope, rope)) return entry.angles;
  }
  Known& entry = known.emplace_back(Known{rope, head_dim, {}});
  for (int64_t pair = 0; pair < head_dim / 2; ++pair) {
    entry.angles.push_back(scalar::AnglePerPosition(rope, head_dim, pair));
  }
  return entry.angles;
}

}  // namespace infer::metal
