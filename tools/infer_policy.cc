// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backends/backends.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/policy/policy_text.h"
#include "passes/policies.h"
#include "tools/api/compile_model.h"
#include "tools/cli/tool.h"
#include "tools/flags/model_flags.h"
#include "tools/policy/policy_report.h"

namespace infer {
namespace {

struct PolicyOptions {
  std::string format = "text";
  std::string policy;  // name or file
  ModelFlags model;
};

void RegisterFlags(Flags& flags, PolicyOptions* options) {
  flags.Section("Output");
  flags.Choice("--format", &options->format, {"text", "json"}, "format of the output");
  flags.Mode("list", "List the built-in policies.");
  Flags& show = flags.Mode("show", "Print a policy with its comments.");
  show.Positional("NAME|FILE", &options->policy, "policy").Required();
  Flags& check =
      flags.Mode("check", "Say what each rule of a policy does to a model, and which do nothing.");
  check.Positional("NAME|FILE", &options->policy, "policy").Required();
  check.Section("Model");
  check.Text("-m,--model", &options->model.model, "FILE", "GGUF file").Default("the bundled model");
  RegisterCallSizes(check, &options->model);
  RegisterOverrides(check, &options->model);
  flags.Note(
      "A file that is not a policy, or names unknown ops, targets or types, ends with exit "
      "code 3. A rule that does nothing to this model is reported, and is an error under "
      "--strict.");
  flags.Example("infer policy list", "Which are there?");
  flags.Example("infer policy show tutorial > mine.textproto", "Start from one of them.");
  flags.Example("infer policy check mine.textproto -m model.gguf", "Does it do what it should?");
}

absl::StatusOr<std::string> Show(const PolicyOptions& options) {
  ASSIGN_OR_RETURN(Policy policy, LoadPolicy(options.policy));
  if (options.format == "json") return PolicyJson(policy);
  for (const NamedPolicyText& named : NamedPolicies()) {
    if (named.name == options.policy) return std::string(named.textproto);
  }
  return PrintPolicy(policy);
}

absl::StatusOr<std::string> Check(PolicyOptions options) {
  CompileModelOptions& compile = options.model.compile;
  compile.policy = options.policy;
  compile.hash = HashMode::kNone;
  std::vector<PolicyFinding> findings;
  compile.findings = &findings;
  ASSIGN_OR_RETURN(ModelFile model, ModelFile::Open(options.model.model));
  std::unique_ptr<KernelRegistry> registry = MakeKernelRegistry();
  ASSIGN_OR_RETURN(Program program, CompileModel(model, *registry, compile));
  const PolicyCheck check = MakePolicyCheck(program, std::move(findings));
  return options.format == "json" ? ToJson(check) : ToText(check);
}

absl::Status PolicyMain(ToolContext& context) {
  PolicyOptions options;
  Flags flags("infer-policy", "List, show and check placement policies.");
  RegisterFlags(flags, &options);
  ASSIGN_OR_RETURN(bool proceed, context.Parse(flags));
  if (!proceed) return absl::OkStatus();
  absl::StatusOr<std::string> report;
  if (flags.mode() == "list") {
    report = options.format == "json" ? PolicyListJson() : PolicyListText();
  } else if (flags.mode() == "show") {
    report = Show(options);
  } else {
    report = Check(std::move(options));
  }
  RETURN_IF_ERROR(report.status());
  return context.out().Write(*report);
}

}  // namespace

extern const Tool kInferPolicy = {"infer-policy", "policy", "List, show and check policies",
                                  PolicyMain};

}  // namespace infer
