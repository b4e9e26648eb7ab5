// SPDX-License-Identifier: Apache-2.0
#include "ir/program/varying_node.h"

#include <map>

#include "ir/base/strings.h"
#include "ir/graph/node_name.h"
#include "ir/graph/placement.h"

namespace infer {

std::string RecordedNumerics(const Node& node, const SymbolRanges& /*symbols*/) {
  return node.placement()->kernel_record.numerics;
}

const Node* FindVaryingNode(const Program& program, int64_t most_tokens,
                            const NumericsOf& numerics_of) {
  std::map<std::string, std::string> classes;  // by node, over the regimes
  for (const Regime& regime : program.regimes) {
    if (regime.min_tokens > most_tokens) break;
    for (const Node* node : regime.graph.nodes()) {
      if (!node->placement() || node->op().traits.view) continue;
      const std::string here = numerics_of(*node, regime.graph.symbols());
      const std::string key = StrCat(node->op().name, " ", NodeName(*node));
      const std::string& first = classes.try_emplace(key, here).first->second;
      if (here.empty() || here != first) return node;
    }
  }
  return nullptr;
}

}  // namespace infer
