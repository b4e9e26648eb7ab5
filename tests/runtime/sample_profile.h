// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtime/profile.h"

namespace infer::test {

// Two threads, one regime with calls: a norm and a product in each of two layers, ten calls with
// one token and one with 12.
inline Profile SampleProfile() {
  Profile profile;
  profile.model = {{{"model.gguf", 1234}}, "0123456789abcdef0123456789abcdef"};
  profile.program = 0xfeedfacecafebeef;
  profile.policy = "parallel";
  profile.machine = "generic";
  profile.threads = 2;
  profile.threads_by = "team";
  ProfileRegime regime;
  regime.min_tokens = 1;
  regime.max_tokens = 512;
  for (const char* layer : {"layer.0", "layer.11"}) {
    const std::string scope = layer;
    const uint64_t id = regime.nodes.size() + 1;
    regime.nodes.push_back(
        {id, scope + "/attn/norm", "rms_norm", "simd", "rms_norm_f32_simd", "serial"});
    regime.nodes.push_back(
        {id + 1, scope + "/attn/q_proj", "linear", "parallel", "linear_q8_0_parallel", "sliced"});
  }
  // n, min, p50, p95, total, wait, busy, busy of the busiest, estimate
  const NodeTiming norm{10, 900, 1000, 1500, 10000, 10000, 10000, 10000, 500};
  const NodeTiming product{10, 3900, 4000, 6000, 40000, 8000, 72000, 40000, 4000};
  const NodeTiming slower{10, 4900, 5000, 5500, 50000, 10000, 90000, 50000, 4000};
  regime.groups.push_back({1, 1, 10, 10, 10, 150, 120000, {norm, product, norm, slower}});
  regime.groups.back().timeline = {1,
                                   1,
                                   15,
                                   11000,
                                   {{{100, 1000, 1100, 0},
                                     {1100, 5000, 5200, 300},
                                     {5200, 6000, 6100, 0},
                                     {6100, 10800, 10900, 0}},
                                    {{110, 120, 1100, 0},
                                     {1100, 5150, 5200, 0},
                                     {5200, 5210, 6100, 0},
                                     {6100, 10900, 10900, 100}}}};
  regime.groups.back().estimate_ns = 9600;
  regime.groups.back().wall_p50_ns = 11000;
  regime.groups.back().experts = {{1, {4, 0, 16}}, {3, {20, 0, 0}}};
  regime.groups.back().sequences = 2 * regime.groups.back().calls;
  const NodeTiming once{1, 7000, 7000, 7000, 7000, 0, 14000, 7000, 0};
  regime.groups.push_back({12, 12, 1, 12, 1, 12, 30000, {once, once, once, once}});
  profile.regimes.push_back(regime);
  return profile;
}

}  // namespace infer::test
