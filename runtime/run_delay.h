// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace infer {

// Returns for how long threads of this process have waited for a CPU while they could have run, in
// all, or nothing where the system does not say.
std::optional<int64_t> RunDelayNs(std::span<const int> thread_ids);

// The id of the calling thread for RunDelayNs; 0 where there is none.
int ThreadId();

}  // namespace infer
