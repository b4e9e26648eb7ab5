// SPDX-License-Identifier: Apache-2.0
#include "ir/graph/partition.h"

#include <algorithm>

namespace infer {
namespace {
constexpr std::string_view kDomainNames[kNumPartitionDomains] = {"none", "rows", "columns",
                                                                 "kv_heads", "tiles"};
}

std::string_view Name(PartitionDomain domain) { return kDomainNames[static_cast<int>(domain)]; }

std::optional<PartitionDomain> FindPartitionDomain(std::string_view name) {
  for (int i = 0; i < kNumPartitionDomains; ++i) {
    if (kDomainNames[i] == name) return static_cast<PartitionDomain>(i);
  }
  return std::nullopt;
}

bool Partition::OwnsInput(int32_t input) const {
  return std::ranges::find(own_inputs, input) != own_inputs.end();
}

bool Partition::OwnsResult(int32_t result) const {
  return std::ranges::find(own_results, result) != own_results.end();
}

}  // namespace infer
