// SPDX-License-Identifier: Apache-2.0
#include "tools/flags/shard_flags.h"

namespace infer {

void RegisterShard(Flags& flags, ShardRequest* request) {
  flags
      .Int("--ranks", &request->ranks, "N",
           "divide the model over N processes, which mpirun -np N starts")
      .Range(1, kMaxRanks)
      .Default("the policy's, 1");
  flags
      .Enum("--shard-mode", &request->mode,
            {{"exact", ShardPolicy::Mode::kExact}, {"fast", ShardPolicy::Mode::kFast}},
            "exact: the bits of one process; fast: fewer bytes to send, sums in another order")
      .Default("exact, or the policy's");
}

}  // namespace infer
