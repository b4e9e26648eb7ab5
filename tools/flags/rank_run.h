// SPDX-License-Identifier: Apache-2.0
//
// A tool as one rank of a divided run: rank 0 does what the command line says, the others follow
// it.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "runtime/engine.h"
#include "tools/api/compile_model.h"
#include "tools/cli/tool.h"

namespace infer {

// Connects to the other ranks if mpirun has started this process with others. To be called after
// the flags are parsed and before the kernels are loaded. When the tool ends with an error, the
// others end too, and one rank reports it.
absl::Status StartRanks(ToolContext* context);

// Returns whether this process follows rank 0, and so has neither input nor output.
bool FollowsRank0();

// Returns a usage error if this process is one of several ranks, or `shard` asks for them: `what`,
// a flag or tool, needs models that are not divided.
absl::Status RefuseRanks(std::string_view what, const ShardRequest& shard = {});

// Gives all ranks a cache of the same size, the smallest that one of them has room for: block
// numbers are rank 0's. Returns an error at once if the Program is for another number of ranks,
// which may be because the others do not load it.
absl::Status ShareCacheSize(const Program& program, EngineOptions* options);

// Called by every rank once its engine is loaded, or with the error that prevented it and null.
// Returns Ok on rank 0 and in a process that runs alone. A follower runs until rank 0 ends; the
// status that it then returns ends the tool without a message. A tool that loads several engines
// one after the other goes on to the next if HasFollowed.
absl::Status JoinRanks(const absl::Status& loaded, Engine* engine);
bool HasFollowed(const absl::Status& status);

}  // namespace infer
