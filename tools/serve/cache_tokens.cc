// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/cache_tokens.h"

#include <algorithm>

namespace infer::serve {

int64_t DefaultCacheTokens(int64_t context, int64_t requests, uint64_t bytes_per_position,
                           std::optional<uint64_t> available_bytes) {
  const int64_t all = context * requests;
  if (!available_bytes || bytes_per_position == 0) return all;
  const auto fit = static_cast<int64_t>(*available_bytes / 2 / bytes_per_position);
  return std::clamp(fit, context, all);
}

}  // namespace infer::serve
