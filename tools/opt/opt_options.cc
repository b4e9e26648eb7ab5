// SPDX-License-Identifier: Apache-2.0
#include "tools/opt/opt_options.h"

#include <algorithm>

#include "absl/strings/str_format.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "passes/registry.h"
#include "tools/cli/exit_code.h"
#include "tools/flags/shard_flags.h"

namespace infer {
namespace {

constexpr std::string_view kAll = "all";

bool Has(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

std::string_view Text(PassRuns runs) {
  switch (runs) {
    case PassRuns::kOnce:
      return "once";
    case PassRuns::kEachRegime:
      return "each regime";
    case PassRuns::kOnRequest:
      break;
  }
  return "on request";
}

}  // namespace

SymbolRanges OptOptions::symbols() const {
  SymbolRanges symbols;
  symbols[Symbol::kT] = {1, tokens};
  symbols[Symbol::kR] = {1, std::min(logit_rows, tokens)};
  symbols[Symbol::kS] = {1, context};
  return symbols;
}

void RegisterFlags(Flags& flags, OptOptions* options) {
  flags.Positional("FILE", &options->input, "graph as text; - is stdin");
  flags.Section("Passes");
  flags.TextList("--passes", &options->passes, "PASS,PASS|all",
                 "passes in the order in which they run; all: the default pipeline");
  flags.Bool("--list-passes", &options->list_passes, "print a table of all passes and exit");
  RegisterSkip(flags, &options->skip);
  RegisterPassFlags(flags, &options->pass_flags);
  flags.Section("Inputs of the passes");
  flags.Text("--policy", &options->policy, "NAME|FILE", "placement policy");
  RegisterShard(flags, &options->shard);
  flags.Int("-ub,--ubatch-size", &options->tokens, "N", "largest number of tokens in one call: T")
      .Range(1, 65536);
  flags.Int("--logit-rows", &options->logit_rows, "N", "largest number of rows with logits: R")
      .Range(1, 65536);
  flags.Int("-c,--ctx-size", &options->context, "N", "context in tokens: S")
      .Alias("--ctx")
      .Range(1, int64_t{1} << 30);
  flags.Section("Output");
  flags.Text("-o,--output", &options->output, "FILE", "file for the graph; - is stdout");
  flags.Example("infer-compile --stage imported | infer-opt --passes bind-shapes,fuse-swiglu",
                "Run two passes on the bundled model's graph.");
  flags.Example("infer-opt --list-passes", "Which passes are there?");
}

absl::Status CompleteOptions(const Flags& flags, OptOptions* options) {
  options->passes = SplitNames(options->passes);
  for (const std::string& name : options->passes) {
    if (name == kAll && options->passes.size() > 1) {
      return UsageError("--passes all is the whole pipeline; do not name other passes with it");
    }
    absl::Status known = name == kAll ? absl::OkStatus() : FindPass(name).status();
    if (!known.ok()) return UsageError(StrCat("--passes: ", ToStd(known.message())));
  }
  if (flags.Given("--skip") && !Has(options->passes, kAll)) {
    return UsageError("--skip removes passes from --passes all; otherwise do not name them");
  }
  RETURN_IF_ERROR(CompleteSkip(&options->skip));
  return CompletePassFlags(&options->pass_flags);
}

std::vector<std::unique_ptr<Pass>> PassesToRun(const OptOptions& options, Stage from) {
  std::vector<std::unique_ptr<Pass>> passes;
  if (!Has(options.passes, kAll)) {
    for (const std::string& name : options.passes) passes.push_back((*FindPass(name))->make());
    return passes;
  }
  for (const PassInfo& info : AllPasses()) {
    if (info.runs == PassRuns::kOnRequest || info.needs < from || Has(options.skip, info.name)) {
      continue;
    }
    passes.push_back(info.make());
  }
  return passes;
}

std::string PassTable() {
  std::string table = absl::StrFormat("%-24s %-10s %-10s %-12s %s\n", "pass", "needs", "gives",
                                      "runs", "what it does");
  for (const PassInfo& info : AllPasses()) {
    absl::StrAppendFormat(&table, "%-24s %-10s %-10s %-12s %s\n", info.name,
                          ToAbsl(Name(info.needs)), ToAbsl(Name(info.gives)),
                          ToAbsl(Text(info.runs)), ToAbsl(info.summary));
  }
  return table;
}

}  // namespace infer
