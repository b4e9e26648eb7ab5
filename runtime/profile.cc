// SPDX-License-Identifier: Apache-2.0
#include "runtime/profile.h"

#include <algorithm>
#include <set>
#include <vector>

#include "ir/base/advice.h"
#include "ir/base/hash.h"
#include "ir/base/strings.h"
#include "ir/graph/placement.h"
#include "ir/graph/plan.h"

namespace infer {

SymbolValues CallGroup::MeanSymbols() const {
  auto mean = [this](int64_t sum) { return calls > 0 ? (sum + calls / 2) / calls : 0; };
  return {mean(tokens), mean(logit_rows), mean(positions), std::max<int64_t>(1, mean(sequences))};
}

uint64_t CopyId(uint64_t node, const CopyStep& copy) {
  return Hasher()
      .Add(node)
      .Add(static_cast<uint64_t>(copy.value.result))
      .Add(Name(copy.from))
      .Add(Name(copy.to))
      .Finish();
}

std::string DirectionText(const CopyStep& copy) {
  return StrCat(Name(copy.from), " to ", Name(copy.to));
}

uint64_t ProgramKey(const Program& program) {
  Hasher hasher;
  hasher.Add(program.model.header_hash);
  for (const Regime& regime : program.regimes) {
    hasher.Add(static_cast<uint64_t>(regime.min_tokens));
    hasher.Add(static_cast<uint64_t>(regime.max_tokens));
    const std::vector<uint64_t> ids = NodeIds(regime.graph);
    const std::vector<Node*> nodes = regime.graph.nodes();
    for (const Segment& segment : regime.graph.plan()->segments) {
      for (const Step& step : segment.steps) {
        if (step.node < 0) continue;
        hasher.Add(ids[step.node]);
        hasher.Add(nodes[step.node]->placement()->kernel);
      }
    }
  }
  return hasher.Finish();
}

namespace {

bool HasTheNodesOf(const Program& program, const Profile& profile) {
  if (profile.regimes.size() != program.regimes.size()) return false;
  for (size_t i = 0; i < program.regimes.size(); ++i) {
    const Graph& graph = program.regimes[i].graph;
    const std::vector<uint64_t> ids = NodeIds(graph);
    const std::vector<Node*> nodes = graph.nodes();
    std::set<uint64_t> placed;
    for (size_t n = 0; n < nodes.size(); ++n) {
      if (nodes[n]->placement()) placed.insert(ids[n]);
    }
    for (const Segment& segment : graph.plan()->segments) {
      for (const Step& step : segment.steps) {
        if (step.copy) placed.insert(CopyId(ids[step.copy->value.node], *step.copy));
      }
    }
    for (const ProfileNode& node : profile.regimes[i].nodes) {
      if (!placed.contains(node.id)) return false;
    }
  }
  return true;
}

}  // namespace

absl::Status CheckProfileOf(const Program& program, const Profile& profile,
                            std::string_view where) {
  auto refusal = [&](std::string_view what) {
    return WithAdvice(
        absl::InvalidArgumentError(
            StrCat(where, ": is a profile of another program: ", what, "; profile this one")),
        {Advice::kProfile});
  };
  auto name_of = [](const ModelRef& model) {
    return model.files.empty() ? std::string("a model without a name") : model.files[0].name;
  };
  if (profile.model.header_hash != program.model.header_hash) {
    return refusal(StrCat("it ran ", name_of(profile.model), " with header hash ",
                          profile.model.header_hash, ", the program is of ", name_of(program.model),
                          " with ", program.model.header_hash));
  }
  if (profile.policy != program.policy.name) {
    return refusal(
        StrCat("it ran policy ", profile.policy, ", the program has ", program.policy.name));
  }
  // The key is just a number in the file, so the nodes are also compared by id.
  if (profile.program != ProgramKey(program) || !HasTheNodesOf(program, profile)) {
    return refusal("nodes, kernels or regimes differ");
  }
  return absl::OkStatus();
}

}  // namespace infer
