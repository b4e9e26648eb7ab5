// SPDX-License-Identifier: Apache-2.0
//
// Implements models and Programs behind the public header.
#include <optional>

#include "backends/backends.h"
#include "backends/simd/levels/choose_level.h"
#include "ir/base/status_macros.h"
#include "ir/graph/node_name.h"
#include "ir/proto/serialize.h"
#include "ir/text/printer.h"
#include "passes/node_facts.h"
#include "runtime/draft_length.h"
#include "tools/api/compile_to_run.h"
#include "tools/api/handles.h"
#include "tools/api/program_file.h"
#include "tools/report/placement_text.h"
#include "tools/report/program_head.h"
#include "tools/report/program_view.h"
#include "tools/report/regime_table.h"

namespace infer::engine {
namespace {

constexpr size_t kSummaryMargin = 10;

ChatRenderer RendererOf(const ModelFile& file, const ChatFormat& chat,
                        const Vocabulary& vocabulary) {
  absl::StatusOr<std::string_view> text =
      file.gguf().metadata().GetStringOr("tokenizer.chat_template", "");
  return ChatRenderer(text.value_or(""), chat, vocabulary);
}

absl::StatusOr<ProgramPtr> Finish(infer::Program program, std::vector<std::string> warnings) {
  ASSIGN_OR_RETURN(std::string bytes, SerializeProgram(program));
  return std::make_shared<const ProgramHandle>(
      std::make_shared<const infer::Program>(std::move(program)), std::move(bytes),
      std::move(warnings));
}

// An empty path is that of the bundled model.
absl::StatusOr<ModelPtr> OpenModel(const std::string& path) {
  if (!simd::ChosenLevel().valid) return UsageError(simd::ChosenLevel().reason);
  ASSIGN_OR_RETURN(ModelFile file, ModelFile::Open(path));
  ASSIGN_OR_RETURN(const ModelFamily* family, file.Family());
  ASSIGN_OR_RETURN(ModelConfig config, file.ReadConfig());
  ASSIGN_OR_RETURN(Tokenizer tokenizer, file.ReadTokenizer());
  ChatRenderer chat = RendererOf(file, family->chat, tokenizer.vocabulary());
  return std::make_shared<const ModelHandle>(std::move(file), family, std::move(config),
                                             std::move(tokenizer), MakeKernelRegistry(),
                                             std::move(chat));
}

PlacedStep StepOf(const infer::Program& program, const RegimeView& regime, const NodeView& view) {
  const Placement& placement = view.placement();
  return {.min_tokens = regime.regime->min_tokens,
          .max_tokens = regime.regime->max_tokens,
          .name = NodeName(*view.node),
          .layer = LayerOf(view.node->scope()).value_or(-1),
          .op = std::string(view.node->op().name),
          .target = std::string(Name(placement.target)),
          .kernel = placement.kernel,
          .decided_by = DecidedByText(program, placement),
          .because = BecauseText(program, placement),
          .weight_types = WeightTypesText(*view.node),
          .estimate_ns_min = placement.estimate_ns_min,
          .estimate_ns_max = placement.estimate_ns_max};
}

}  // namespace

Outcome<ModelPtr> LoadModel(const std::string& path) {
  return Guard([&]() -> absl::StatusOr<ModelPtr> {
    if (path.empty()) return UsageError("the path of the model is empty");
    return OpenModel(path);
  });
}

Outcome<ModelPtr> LoadBundledModel() {
  return Guard([] { return OpenModel(""); });
}

std::string ModelName(const ModelHandle& model) { return model.config.name; }
std::string FamilyName(const ModelHandle& model) { return std::string(model.family->name); }
int64_t ModelVocabulary(const ModelHandle& model) { return model.config.vocabulary; }
int64_t ModelContext(const ModelHandle& model) { return model.config.context; }

Outcome<std::vector<int32_t>> Encode(const ModelHandle& model, std::string_view text) {
  return Guard([&] { return model.tokenizer.Encode(text); });
}

Outcome<std::string> Decode(const ModelHandle& model, const std::vector<int32_t>& ids) {
  return Guard([&] { return model.tokenizer.Decode(ids); });
}

absl::StatusOr<MarkedText> RenderTurns(const ModelHandle& model,
                                       const std::vector<ChatTurn>& messages, Thinking think,
                                       const std::vector<std::string>& tools) {
  std::vector<ChatMessage> turns;
  for (const ChatTurn& message : messages) {
    turns.emplace_back();
    turns.back().role = message.role;
    turns.back().content = message.content;
    turns.back().reasoning_content = message.reasoning;
    for (const TurnCall& call : message.calls) {
      turns.back().tool_calls.push_back({call.name, call.arguments});
    }
  }
  ChatOptions options;
  options.tools = tools;
  options.enable_thinking = think != Thinking::kOff;
  absl::StatusOr<MarkedText> prompt = model.chat.Render(turns, options);
  if (!prompt.ok()) return AsUsageError(prompt.status());
  if (think == Thinking::kOn) prompt->AppendTrusted(model.family->chat.thought_start);
  return prompt;
}

Outcome<std::string> RenderChat(const ModelHandle& model, const std::vector<ChatTurn>& messages,
                                Thinking think) {
  return Guard([&]() -> absl::StatusOr<std::string> {
    ASSIGN_OR_RETURN(MarkedText prompt, RenderTurns(model, messages, think));
    return prompt.text();
  });
}

Outcome<ProgramPtr> CompileProgram(const ModelHandle& model, const CompileParams& params) {
  return Guard([&]() -> absl::StatusOr<ProgramPtr> {
    CompileModelOptions options;
    if (!params.policy.empty()) options.policy = params.policy;
    options.place = params.overrides;
    options.strict = params.strict;
    if (params.invariant) options.invariant = true;
    options.machine = params.machine;
    options.context = params.context;
    options.chunk = params.chunk;
    if (params.sequences < 1) {
      return UsageError(StrCat("sequences is ", params.sequences, ", expected at least 1"));
    }
    options.sequences = params.sequences;
    if (params.drafts) options.logit_rows = kMaxDraft + 1;
    if (!params.kv_type.empty()) {
      options.kv_type = FindDType(params.kv_type);
      if (!options.kv_type) {
        return UsageError(StrCat("kv_type '", params.kv_type, "': expected f16, f32 or q8_0"));
      }
    }
    std::vector<std::string> warnings;
    options.warn = [&](const std::string& text) {
      warnings.push_back(text);
      if (params.on_warning) params.on_warning(text);
    };
    ASSIGN_OR_RETURN(infer::Program program, CompileToRun(model.file, *model.catalog, options));
    return Finish(std::move(program), std::move(warnings));
  });
}

Outcome<ProgramPtr> LoadProgram(const std::string& path) {
  return Guard([&]() -> absl::StatusOr<ProgramPtr> {
    ASSIGN_OR_RETURN(infer::Program program, ReadProgramFile(path));
    return Finish(std::move(program), {});
  });
}

const std::string& ProgramBytes(const ProgramHandle& program) { return program.bytes; }
std::string ProgramText(const ProgramHandle& program) { return PrintProgram(*program.program); }

std::vector<PlacedStep> ProgramPlacement(const ProgramHandle& program) {
  std::vector<PlacedStep> steps;
  for (const RegimeView& regime : ViewRegimes(*program.program)) {
    for (const NodeView& view : regime.nodes) {
      steps.push_back(StepOf(*program.program, regime, view));
    }
  }
  return steps;
}

std::string ProgramSummary(const ProgramHandle& program) {
  return StrCat(HeadText(*program.program, kSummaryMargin),
                RegimeTable(ViewRegimes(*program.program)));
}

const std::vector<std::string>& ProgramWarnings(const ProgramHandle& program) {
  return program.warnings;
}

}  // namespace infer::engine
