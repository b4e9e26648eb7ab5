// SPDX-License-Identifier: Apache-2.0
#include "tools/viz/ranks.h"

#include <algorithm>

namespace infer {

std::vector<int32_t> RanksOf(int32_t nodes, std::span<const LayoutEdge> edges) {
  std::vector<std::vector<int32_t>> into(nodes), out_of(nodes);
  for (const LayoutEdge& edge : edges) {
    into[edge.to].push_back(edge.from);
    out_of[edge.from].push_back(edge.to);
  }
  std::vector<int32_t> ranks(nodes, 0);
  for (int32_t node = 0; node < nodes; ++node) {
    for (int32_t from : into[node]) ranks[node] = std::max(ranks[node], ranks[from] + 1);
  }
  for (int32_t node = 0; node < nodes; ++node) {
    if (!into[node].empty() || out_of[node].empty()) continue;
    int32_t first = ranks[out_of[node][0]];
    for (int32_t to : out_of[node]) first = std::min(first, ranks[to]);
    ranks[node] = first - 1;
  }
  return ranks;
}

}  // namespace infer
