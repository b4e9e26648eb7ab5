// SPDX-License-Identifier: Apache-2.0
#include "runtime/profile.h"

#include <algorithm>

#include "ir/hash.h"
#include "ir/strings.h"

namespace infer {

SymbolValues CallGroup::MeanSymbols() const {
  auto mean = [this](int64_t sum) { return calls > 0 ? (sum + calls / 2) / calls : 0; };
  return {mean(tokens), mean(logit_rows), mean(positions)};
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

absl::Status CheckProfileOf(const Program& program, const Profile& profile,
                            std::string_view where) {
  auto refusal = [&](std::string_view what) {
    return absl::InvalidArgumentError(
        StrCat(where, ": is a profile of another program: ", what,
               "; profile this one with infer-run -g PROGRAM --profile FILE"));
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
  if (profile.program == ProgramKey(program)) return absl::OkStatus();
  return refusal("nodes, kernels or regimes differ");
}

}  // namespace infer
