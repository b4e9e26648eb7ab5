// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace infer::test {

struct CampaignResult {
  int64_t refused = 0;
  int64_t accepted = 0;  // and run
  // Accepted Programs that gave other numbers than they should, each as a line: the policy, the
  // seed and what was changed.
  std::string failures;
  std::map<std::string, int64_t> accepted_by_field;
};

// Mutates Programs of the bundled model, of several policies in turn: seeds `first` to `first` +
// `count` - 1. Each one that the verifier and the loader accept is run twice on several threads. It
// must give the same logits both times, and those of the Program that it was made from if no kernel
// was changed.
// Tries seeds [first, first + count). `progress`, if given, is called before each.
using CampaignProgress = std::function<void(uint64_t seed, const CampaignResult& so_far)>;
CampaignResult RunCampaign(uint64_t first, int64_t count, const CampaignProgress& progress = {});

}  // namespace infer::test
