// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/backends.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "tools/api/compile_model.h"
#include "tools/api/model_file.h"
#include "tools/api/program_file.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/locale_text.h"
#include "tools/cli/tool.h"
#include "tools/diff/diff_files.h"
#include "tools/report/layer_groups.h"
#include "tools/viz/dot.h"
#include "tools/viz/html.h"
#include "tools/viz/layer_picture.h"
#include "tools/viz/open_page.h"
#include "tools/viz/page_path.h"
#include "tools/viz/svg.h"
#include "tools/viz/text_tree.h"
#include "tools/viz/viz_inputs.h"
#include "tools/viz/viz_json.h"
#include "tools/viz/viz_options.h"

namespace infer {
namespace {

absl::StatusOr<std::string> Draw(const Program& program, const VizOptions& options,
                                 std::vector<int64_t> layers) {
  std::vector<RegimeView> regimes = ViewRegimes(program);
  GroupedProgram grouped = GroupProgram(regimes);
  if (layers.empty()) {
    const LayerGroup* largest = LargestGroup(grouped.layers);
    if (largest == nullptr) {
      return absl::InvalidArgumentError(
          StrCat(options.program, ": no node of the program is in a layer; try --format text"));
    }
    layers = {largest->layers[0]};
  }
  Picture picture =
      DrawLayers(program, regimes[RegimeOf(program, options.tokens)], grouped, layers);
  return options.format == "dot" ? DotText(picture) : SvgText(picture);
}

absl::StatusOr<std::string> RenderDocument(const VizOptions& options, const Program& program,
                                           const ModelFile* model) {
  VizInputs inputs;
  RETURN_IF_ERROR(inputs.Read(options, program, model));
  std::vector<NamedProgram> programs = inputs.Programs(options, program);
  return options.format == "json" ? VizJson(programs) : HtmlText(programs);
}

absl::StatusOr<std::string> Render(const Program& program, const ModelFile* model,
                                   const VizOptions& options, bool color) {
  if (RegimeOf(program, options.tokens) < 0) {
    return UsageError(StrCat("--tokens ", options.tokens, ": calls of this program have 1 to ",
                             program.symbols[Symbol::kT].max, " tokens"));
  }
  ASSIGN_OR_RETURN(std::vector<int64_t> layers, ParseLayers(options.layers, program));
  if (options.format == "json" || options.format == "html") {
    return RenderDocument(options, program, model);
  }
  if (options.format == "text") return TextTree(program, {layers, options.tokens, color});
  return Draw(program, options, std::move(layers));
}

// If nothing can show the page, the file still exists, so this is not an error.
void ShowPage(const std::string& page, ToolContext& context) {
  const absl::Status opened = OpenPage(page, ProcessEnv()("PATH").value_or(""));
  if (!opened.ok()) context.console().Warning(ToStd(opened.message()));
}

// Reads a stored program, or compiles the model that was given in its place.
absl::StatusOr<Program> ReadOrCompile(const VizOptions& options, ToolContext& context,
                                      std::optional<ModelFile>* model) {
  const bool compile = IsModelFile(options.program);
  if (compile || !options.model.model.empty()) {
    ASSIGN_OR_RETURN(*model, ModelFile::Open(compile ? options.program : options.model.model));
  }
  if (!compile) return ReadProgramFile(options.program);
  CompileModelOptions how = options.model.compile;
  how.warn = [&](const std::string& text) { context.console().Warning(text); };
  return CompileModel(**model, *MakeKernelRegistry(), how);
}

absl::Status VizMain(ToolContext& context) {
  VizOptions options;
  Flags flags("infer-viz", "Show a program: what runs where, why, and in which memory.");
  RegisterFlags(flags, &options);
  ASSIGN_OR_RETURN(bool proceed, context.Parse(flags));
  if (!proceed) return absl::OkStatus();
  RETURN_IF_ERROR(CompleteOptions(flags, &options));
  if (flags.mode() == "diff") {
    return DiffFiles(options.programs, options.format, options.fail_on, options.output, context);
  }
  std::optional<ModelFile> model;
  ASSIGN_OR_RETURN(Program program, ReadOrCompile(options, context, &model));
  // The console has evaluated --color and NO_COLOR, but for stderr.
  bool is_terminal = options.output == "-" && context.out().is_terminal();
  bool color = context.console().color() && (is_terminal || flags.Given("--color"));
  ASSIGN_OR_RETURN(std::string rendered,
                   Render(program, model ? &*model : nullptr, options, color));
  if (options.format == "text" && !LocaleIsUtf8(context.env())) rendered = InAscii(rendered);
  if (options.finds_place) {
    ASSIGN_OR_RETURN(options.output, PagePath(options.program, options.bundled));
    context.console().Info(StrCat("the page is ", options.output));
  }
  ASSIGN_OR_RETURN(std::unique_ptr<AtomicFile> file, context.OpenOutput(options.output));
  RETURN_IF_ERROR(file->Write(rendered));
  RETURN_IF_ERROR(file->Commit());
  if (options.open) ShowPage(options.output, context);
  return absl::OkStatus();
}

}  // namespace

extern const Tool kInferViz = {"infer-viz", "viz", "Show what a stored program runs where, and why",
                               VizMain};

}  // namespace infer
