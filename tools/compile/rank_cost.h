// SPDX-License-Identifier: Apache-2.0
//
// What dividing a model over ranks gains and costs, by the estimates.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/api/compile_model.h"

namespace infer {

struct RankCost {
  int64_t tokens = 0;         // of a call on an empty cache
  int64_t collectives = 0;    // in the call
  double received_bytes = 0;  // by each rank
  double alone_ms = 0;        // estimate for one process
  double ms = 0;              // estimate for the ranks
  double collectives_ms = 0;  // the part of it that collectives take
};

// Compiles the model again for one process, with `options` otherwise, and compares calls of the
// least and the most tokens. Empty if the Program is not divided.
std::vector<RankCost> RankCosts(const Program& program, const ModelFile& model,
                                const KernelCatalog& catalog, CompileModelOptions options);

// Formats the section "gain"; empty without costs.
std::string ToText(const std::vector<RankCost>& costs, const ShardPolicy& shard);

}  // namespace infer
