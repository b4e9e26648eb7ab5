// SPDX-License-Identifier: Apache-2.0
#include "runtime/collective.h"

#include <algorithm>
#include <vector>

#include "ir/base/status_macros.h"

namespace infer {

absl::StatusOr<bool> IsSameOnAll(uint64_t own, Collective& ranks) {
  std::vector<uint64_t> all(static_cast<size_t>(ranks.ranks()));
  RETURN_IF_ERROR(
      ranks.AllGather(std::as_bytes(std::span(&own, 1)), reinterpret_cast<std::byte*>(all.data())));
  return std::ranges::all_of(all, [&](uint64_t number) { return number == own; });
}

}  // namespace infer
