// SPDX-License-Identifier: Apache-2.0
#include "tools/report/program_head.h"

#include <utility>

#include "ir/base/strings.h"
#include "tools/report/machine_text.h"
#include "tools/report/program_view.h"
#include "tools/report/wrapped_text.h"

namespace infer {

std::vector<HeadLine> PlacedLines(const Program& program) {
  std::vector<HeadLine> lines;
  if (const ShardPolicy& shard = program.policy.shard; shard.ranks > 1) {
    lines.push_back({"ranks", StrCat(shard.ranks, ", ", Name(shard.mode))});
  }
  for (const std::string& rule : program.overrides) lines.push_back({"placed", rule});
  if (std::string machine = MachineText(program.machine); !machine.empty()) {
    lines.push_back({"machine", std::move(machine)});
  }
  return lines;
}

std::string HeadText(const Program& program, size_t margin) {
  std::string text;
  AppendWrapped(&text, "model", margin, ModelText(program.model));
  AppendWrapped(&text, "policy", margin,
                StrCat(program.policy.name, program.policy.invariant ? ", invariant" : ""));
  for (const HeadLine& line : PlacedLines(program)) {
    AppendWrapped(&text, line.label, margin, line.text);
  }
  return text;
}

std::vector<std::string> PlacedCaptions(const Program& program) {
  std::vector<std::string> captions;
  for (const HeadLine& line : PlacedLines(program)) {
    captions.push_back(StrCat(line.label, " ", line.text));
  }
  return captions;
}

}  // namespace infer
