// SPDX-License-Identifier: Apache-2.0
#include "tools/compile/compile_options.h"

#include <filesystem>
#include <string_view>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "tools/cli/exit_code.h"
#include "tools/diff/diff_flags.h"

namespace infer {
namespace {

void RegisterCompileFlags(Flags& flags, CompileToolOptions* options) {
  CompileModelOptions* compile = &options->model.compile;
  RegisterModelFlags(flags, &options->model);
  RegisterPolicy(flags, &options->model);
  RegisterCallSizes(flags, &options->model);
  flags.Int("--logit-rows", &compile->logit_rows, "N", "largest number of rows with logits")
      .Range(1, 65536);
  flags.TextList("--extra-result", &compile->extra_results, "ORIGIN",
                 "also return this value, such as layer.3/ffn/residual; repeatable");
  flags.Enum("--hash", &compile->hash, {{"sampled", HashMode::kSampled}, {"full", HashMode::kFull}},
             "hash stored for each weight; full reads the whole file");
}

void RegisterOutputFlags(Flags& flags, CompileToolOptions* options) {
  flags.Section("Output");
  flags.Text("-o,--output", &options->output, "FILE", "file for the graph; - is stdout");
  flags
      .Enum("--emit", &options->emit,
            {{"pb", GraphForm::kPb},
             {"pbtxt", GraphForm::kPbtxt},
             {"json", GraphForm::kJson},
             {"text", GraphForm::kText}},
            "format of the graph")
      .Default("by the suffix of -o");
  flags
      .Choice("--stage", &options->stage,
              {"imported", "bound", "placed", "scheduled", "planned", "all"},
              "the graph at this stage, one for each regime, instead of the program; all: after "
              "every pass, as text")
      .Default("the program");
  flags.Bool("--dry-run", &options->dry_run, "summary and memory only; no weight is read");
}

void RegisterReportFlags(Flags& flags, CompileToolOptions* options) {
  flags.Section("Report");
  flags.Text("--explain", &options->explain, "NODE|all",
             "why nodes run where they do, and the flag that moves them; NODE is an id, a name, an "
             "op as in --place, a weight, a scope such as layer.3/attn or q_proj, or a pattern");
  flags.Bool("--support", &options->support,
             "which targets run the model's ops, by which kernels, or why not");
  flags.Bool("--diff", &options->diff,
             "compare two stored programs: infer-compile --diff a.pb b.pb");
  RegisterThreadCount(flags, &options->model.threads,
                      "threads to predict memory for; the Program runs with any number");
  RegisterFailOn(flags, &options->fail_on);
  flags.Choice("--format", &options->format, {"text", "json"}, "format of the report");
  flags.PositionalList("PROGRAM", &options->programs, "the two programs of --diff");
}

// stdout holds at most one report.
absl::Status CheckReports(const Flags& flags, const CompileToolOptions& options) {
  std::vector<std::string_view> given;
  for (std::string_view flag : {"--explain", "--support", "--diff"}) {
    if (flags.Given(flag)) given.push_back(flag);
  }
  if (given.size() > 1) {
    return UsageError(StrCat(given[0], " with ", given[1],
                             ": both are reports on stdout; request one at a time"));
  }
  if (flags.Given("--explain") && options.explain.empty()) {
    return UsageError("--explain needs a node, or all");
  }
  if (!options.diff && !options.programs.empty()) {
    return UsageError(StrCat("the argument ", options.programs[0],
                             " belongs to --diff; a model is given with -m"));
  }
  if (!options.diff) {
    return flags.Given("--fail-on") ? UsageError("--fail-on belongs to --diff") : absl::OkStatus();
  }
  for (std::string_view flag : {"--model", "--output", "--emit", "--stage", "--dry-run"}) {
    if (flags.Given(flag)) return UsageError(StrCat(flag, " with --diff, which compiles nothing"));
  }
  return CheckDiffArguments("--diff", options.programs, options.fail_on);
}

absl::StatusOr<GraphForm> FormFor(const CompileToolOptions& options) {
  if (options.emit) return *options.emit;
  std::string suffix = std::filesystem::path(options.output).extension().string();
  if (suffix == ".txt" || suffix == ".graph") return GraphForm::kText;
  if (suffix == ".json") return GraphForm::kJson;
  if (suffix == ".pbtxt" || suffix == ".textproto") return GraphForm::kPbtxt;
  if (options.output == "-" || (options.output.empty() && !options.stage.empty())) {
    return GraphForm::kText;
  }
  if (!suffix.empty() && suffix != ".pb") {
    return UsageError(StrCat("-o ", options.output, ": the suffix decides the form, and ", suffix,
                             " is none; use .pb, .txt, .graph, .json or .pbtxt, or --emit"));
  }
  return GraphForm::kPb;
}

}  // namespace

void RegisterFlags(Flags& flags, CompileToolOptions* options) {
  RegisterCompileFlags(flags, options);
  RegisterOutputFlags(flags, options);
  RegisterReportFlags(flags, options);
  flags.Section("Passes");
  RegisterPassFlags(flags, &options->passes);
  flags.Example("infer-compile -m model.gguf -o model.infer.pb", "Compile and store a Program.");
  flags.Example("infer-compile --stage imported", "See the bundled model's graph.");
  flags.Example("infer-compile -m model.gguf -c 8192 --dry-run", "What memory will it need?");
  flags.Example("infer-compile --explain q_proj", "Why do these nodes run where they do?");
  flags.Example("infer-compile --diff a.pb b.pb", "What did another policy change?");
  flags.Example("infer-compile --dump-after all --dump-dir graphs", "What does each pass do?");
}

absl::Status CompleteOptions(const Flags& flags, CompileToolOptions* options) {
  RETURN_IF_ERROR(CompleteModelFlags(&options->model));
  RETURN_IF_ERROR(CompletePassFlags(&options->passes));
  RETURN_IF_ERROR(CheckReports(flags, *options));
  if (options->dry_run) {
    for (std::string_view flag : {"--output", "--emit", "--stage", "--hash"}) {
      if (!flags.Given(flag)) continue;
      return UsageError(StrCat(flag, " with --dry-run: it reads no weights and writes no graph; ",
                               "leave one of the two out"));
    }
    options->model.compile.hash = HashMode::kNone;
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(options->emit, FormFor(*options));
  if (options->stage == "all" && *options->emit != GraphForm::kText) {
    return UsageError("--stage all is several graphs, which only text can hold; add --emit text");
  }
  if (options->output.empty() && (flags.Given("--emit") || !options->stage.empty())) {
    if (*options->emit == GraphForm::kPb) {
      return UsageError("--emit pb is binary; name a file with -o (- is stdout)");
    }
    options->output = "-";
  }
  if (options->output == "-") {
    for (std::string_view flag : {"--explain", "--support", "--format"}) {
      if (!flags.Given(flag)) continue;
      return UsageError(StrCat(flag, " applies to a report on stdout, where the graph goes; write ",
                               "the graph to a file with -o"));
    }
  }
  return absl::OkStatus();
}

}  // namespace infer
