// SPDX-License-Identifier: Apache-2.0
#include "tools/run/report.h"

#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <variant>

#include "absl/strings/escaping.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "ir/strings.h"
#include "tools/model/memory_estimate.h"

namespace infer {
namespace {

constexpr double kMebibyte = 1 << 20;

std::string ProgramLine(const Program& program) {
  std::map<std::string, int> targets;
  for (const Regime& regime : program.regimes) {
    for (const Node* node : regime.graph.nodes()) {
      if (node->placement()) ++targets[std::string(Name(node->placement()->target))];
    }
  }
  return absl::StrFormat("program  policy %s, %d regime(s), nodes: %s\n", program.policy.name,
                         program.regimes.size(),
                         absl::StrJoin(targets, ", ", absl::PairFormatter(" ")));
}

std::string MemoryLine(const GgufFile& file, const Session& session) {
  const Program& program = session.program();
  absl::StatusOr<MemoryEstimate> memory = EstimateMemory(program, file);
  if (!memory.ok()) return "";
  // The estimate is for the program's context, the session may have a smaller one.
  SessionOptions options{.context = session.context(), .block_positions = 0};
  absl::StatusOr<uint64_t> kv = PredictCacheBytes(program, options);
  if (kv.ok()) memory->kv = *kv;
  return absl::StrFormat("memory   at most %.1f MiB: kv %.1f for %d tokens of %s, arena %.1f\n",
                         memory->total() / kMebibyte, memory->kv / kMebibyte, session.context(),
                         program.states.empty() ? "" : Name(program.states[0].dtype),
                         memory->arena / kMebibyte);
}

}  // namespace

std::string HeaderText(const ModelFile& model, const Session& session,
                       const SamplerOptions& sampler) {
  const GgufFile& file = model.gguf();
  absl::StatusOr<std::string_view> name = file.metadata().GetStringOr("general.name", file.path());
  // The file may put anything into its name; a terminal must not get it as it is.
  std::string shown = absl::Utf8SafeCHexEscape(ToAbsl(name.ok() ? *name : file.path()));
  std::string text = absl::StrFormat("model    %s (%s)\n", shown, file.path());
  text += ProgramLine(session.program());
  text += "threads  1 = the scalar target runs on one\n";
  text += MemoryLine(file, session);
  text += absl::StrFormat("sampler  temp %g, top-k %d, top-p %g, seed %d", sampler.temperature,
                          sampler.top_k, sampler.top_p, sampler.seed);
  return text;
}

std::string StatsText(const Metrics& metrics, StatsForm form) {
  if (form == StatsForm::kNone) return "";
  if (form == StatsForm::kText) {
    std::string text = ToText(metrics);
    if (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
  }
  nlohmann::ordered_json json;
  json["schema_version"] = 1;
  for (const MetricField& field : Fields(metrics)) {
    std::visit([&](auto value) { json[std::string(field.name)] = value; }, field.value);
  }
  return json.dump();
}

}  // namespace infer
