// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tools/api/compile_model.h"
#include "tools/cli/flags.h"

namespace infer {

// Registers --ranks and --shard-mode.
void RegisterShard(Flags& flags, ShardRequest* request);

}  // namespace infer
