// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

namespace infer::serve {

// Returns how many positions the KV cache of a server has that was not told: the context of every
// request that may run, but no more than fit half of the available memory, because the cache of
// prefixes fills whatever there is. At least one context.
int64_t DefaultCacheTokens(int64_t context, int64_t requests, uint64_t bytes_per_position,
                           std::optional<uint64_t> available_bytes);

}  // namespace infer::serve
