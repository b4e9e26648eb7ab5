// SPDX-License-Identifier: Apache-2.0
//
// Implements `infer-bench policies`, which races policies against each other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "tools/api/compile_model.h"
#include "tools/bench/policy_race.h"
#include "tools/cli/flags.h"
#include "tools/cli/tool.h"
#include "tools/flags/model_flags.h"

namespace infer {

struct RaceFlags {
  ModelFlags model;
  std::vector<std::string> token_texts = {"1,2,4,8,32,128,512"};
  std::vector<std::string> policy_texts = {"scalar,simd,parallel,auto"};
  int64_t rounds = 20;

  // Filled in by CompleteRace.
  std::vector<int64_t> tokens;
  std::vector<std::string> policies;
};

void RegisterRaceFlags(Flags& flags, RaceFlags* options);
absl::Status CompleteRace(RaceFlags* options);
absl::Status RaceMain(const RaceFlags& options, ToolContext& context);

// Loads a session for each policy, for calls of up to `most_tokens` tokens.
absl::StatusOr<std::vector<Racer>> MakeRacers(
    const ModelFile& model, const KernelRegistry& registry, CompileModelOptions compile,
    const std::vector<std::string>& policies, int64_t most_tokens,
    const PackCacheRequest& pack_cache, ToolContext* context);

}  // namespace infer
