// SPDX-License-Identifier: Apache-2.0
#include "ir/graph/halves.h"

#include <algorithm>
#include <vector>

#include "ir/base/strings.h"
#include "ir/graph/node_name.h"
#include "ir/graph/placement.h"
#include "ir/graph/plan.h"

namespace infer {
namespace {

bool IsForTokens(const ValueType& type) {
  return !type.is_tensor() || type.tensor.shape.Uses(Symbol::kT);
}

std::string Describe(const Node& node) {
  const std::string name = NodeName(node);
  return name.empty() ? std::string(node.op().name) : StrCat(name, " (", node.op().name, ")");
}

}  // namespace

std::string WhyNotInHalves(const Graph& graph) {
  const Range tokens = graph.symbols()[Symbol::kT];
  if (tokens.max < 2 * tokens.min) {
    return StrCat("half of ", tokens.max, " tokens would be in another regime");
  }
  if (const int64_t part = FewestTokensOfPart(graph); tokens.max < 2 * part) {
    return StrCat("half of ", tokens.max, " tokens has other bits, as all parts of less than ",
                  part);
  }
  for (const Segment& segment : graph.plan()->segments) {
    if (segment.is_queued()) return StrCat(Name(segment.device), " has memory of its own");
  }
  for (const Value& result : graph.results()) {
    if (IsForTokens(result.type())) {
      return StrCat("the result ", Describe(*result.node), " has a row for each token");
    }
  }
  // Others than the logits are read as one piece (Engine::extra_result).
  if (graph.results().size() != 1) {
    return StrCat("the graph has ", graph.results().size(), " results, which lie in two pieces");
  }
  bool exchanges = false;
  for (const Node* node : graph.nodes()) {
    if (!node->placement()) continue;
    exchanges = exchanges || node->op().traits.collective;
    const KernelRecord& record = node->placement()->kernel_record;
    if (!node->op().traits.view && record.numerics.empty() && record.numerics_from == 0) {
      return StrCat("the bits of ", Describe(*node), " may depend on the number of tokens");
    }
  }
  return exchanges ? "" : "the ranks exchange nothing";
}

int64_t FewestTokensOfPart(const Graph& graph) {
  int64_t tokens = 1;
  for (const Node* node : graph.nodes()) {
    if (!node->placement()) continue;
    tokens = std::max(tokens, node->placement()->kernel_record.numerics_from);
  }
  return tokens;
}

size_t FirstSegmentForRows(const Graph& graph) {
  const std::vector<Node*> nodes = graph.nodes();
  const std::vector<Segment>& segments = graph.plan()->segments;
  const auto is_for_tokens = [&](const Step& step) {
    const Node& node = *nodes[static_cast<size_t>(step.copy ? step.copy->value.node : step.node)];
    return std::ranges::any_of(node.ResultTypes(), IsForTokens);
  };
  size_t first = segments.size();
  while (first > 0 && std::ranges::none_of(segments[first - 1].steps, is_for_tokens)) --first;
  return first;
}

}  // namespace infer
