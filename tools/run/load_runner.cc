// SPDX-License-Identifier: Apache-2.0
//
// What a Runner does before the model runs: opens the model, reads what the text must keep to and
// the prompt, and loads the program.
#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "runtime/check_weights.h"
#include "tools/api/input.h"
#include "tools/api/program_file.h"
#include "tools/flags/console_load.h"
#include "tools/report/machine_text.h"
#include "tools/run/runner.h"
#include "tools/run/tools_file.h"

namespace infer {
namespace {

// Block size of a paged cache: a multiple of what kernels read at once, small compared with a
// context.
constexpr int32_t kPagePositions = 32;
// Room for an answer in the advice about a context, where -n does not say.
constexpr int64_t kUsualAnswer = 256;
constexpr uint64_t kMaxTemplateBytes = uint64_t{1} << 20;
constexpr uint64_t kMaxRulesBytes = uint64_t{1} << 20;

absl::Status Annotate(const absl::Status& status, std::string_view path) {
  return absl::Status(status.code(), StrCat(path, ": ", ToStd(status.message())));
}

// Reads the value of --tool-choice.
void SetToolChoice(const std::string& text, AnswerRulesRequest* request) {
  if (text == "auto" || text.empty()) return;
  if (text == "none") {
    request->tool_choice = ToolChoice::kNone;
    return;
  }
  request->tool_choice = ToolChoice::kRequired;
  if (text != "required") request->tool_name = text;
}

}  // namespace

absl::Status Runner::OpenModel() {
  ASSIGN_OR_RETURN(registry_, MakeKernelRegistry(threads_));
  std::string path = options_.model.model;
  if (!options_.graph.empty()) {
    ASSIGN_OR_RETURN(stored_, ReadProgramFile(options_.graph));
    if (path.empty()) {
      ASSIGN_OR_RETURN(path, FindModelBeside(options_.graph, *stored_));
    }
  }
  ASSIGN_OR_RETURN(ModelFile model, ModelFile::Open(path));
  model_ = std::make_unique<ModelFile>(std::move(model));
  if (stored_) RETURN_IF_ERROR(CheckStoredWeights(*stored_));
  ASSIGN_OR_RETURN(family_, model_->Family());
  ASSIGN_OR_RETURN(Tokenizer tokenizer, model_->ReadTokenizer());
  tokenizer_ = std::make_unique<Tokenizer>(std::move(tokenizer));
  if (options_.chat) RETURN_IF_ERROR(PrepareChat());
  return PrepareRules();
}

absl::Status Runner::PrepareChat() {
  std::vector<std::string> tools;
  if (!options_.tools.empty()) {
    ASSIGN_OR_RETURN(tools, ReadToolsFile(options_.tools));
  }
  const Metadata& metadata = model_->gguf().metadata();
  ASSIGN_OR_RETURN(std::string_view own, metadata.GetStringOr("tokenizer.chat_template", ""));
  std::string text(own);
  if (!options_.chat_template.empty()) {
    ASSIGN_OR_RETURN(text, ReadInput(options_.chat_template, kMaxTemplateBytes));
    const absl::Status compiled = ChatTemplate::Compile(text).status();
    if (!compiled.ok()) return Annotate(compiled, options_.chat_template);
  }
  renderer_.emplace(text, family_, tokenizer_.get(), std::move(tools), options_.chat_template);
  for (const std::string& warning : renderer_->Warnings(options_.think)) {
    context_.console().Warning(warning);
  }
  return absl::OkStatus();
}

absl::Status Runner::PrepareRules() {
  AnswerRulesRequest request = {
      .json = options_.json, .think_budget = options_.think_budget, .may_think = options_.chat};
  const std::string& path = options_.json_schema.empty() ? options_.grammar : options_.json_schema;
  if (!path.empty()) {
    std::string& text = options_.json_schema.empty() ? request.grammar : request.json_schema;
    ASSIGN_OR_RETURN(text, ReadInput(path, kMaxRulesBytes));
    if (text.empty()) return absl::InvalidArgumentError(StrCat(path, ": is empty"));
  }
  if (renderer_) {
    request.tools = renderer_->tools();
    request.bind_arguments = options_.bind_tools;
    if (renderer_->calls_are_xml()) request.tool_form = ToolCallForm::kXml;
    SetToolChoice(options_.tool_choice, &request);
  }
  absl::StatusOr<std::optional<AnswerRules>> rules = MakeRules(request);
  if (!rules.ok()) return path.empty() ? rules.status() : Annotate(rules.status(), path);
  rules_ = *std::move(rules);
  if (rules_) {
    for (const std::string& warning : rules_->warnings()) context_.console().Warning(warning);
  }
  rules_after_results_ = rules_;
  if (request.tool_choice != ToolChoice::kRequired) return absl::OkStatus();
  // Once the required call has its result, the model may answer.
  request.tool_choice = ToolChoice::kAuto;
  request.tool_name.clear();
  ASSIGN_OR_RETURN(rules_after_results_, MakeRules(request));
  return absl::OkStatus();
}

absl::StatusOr<std::optional<AnswerRules>> Runner::MakeRules(const AnswerRulesRequest& request) {
  if (!request.any()) return std::nullopt;
  return AnswerRules::Create(request, tokenizer_.get(), &grammar_tokens_);
}

absl::Status Runner::CheckStoredWeights(const Program& program) const {
  auto has_full_hash = [](const Weight& weight) { return weight.full_hash.has_value(); };
  if (options_.verify_weights &&
      !std::all_of(program.weights.begin(), program.weights.end(), has_full_hash)) {
    return absl::InvalidArgumentError(
        StrCat(options_.graph, ": holds no full hashes for --verify-weights to compare with; ",
               "compile it again with infer-compile --hash full"));
  }
  return CheckWeights(program, model_->weights(),
                      options_.verify_weights ? WeightCheck::kFull : WeightCheck::kSampled);
}

absl::Status Runner::Prepare() {
  ASSIGN_OR_RETURN(Program program,
                   stored_ ? absl::StatusOr<Program>(*std::move(stored_)) : MakeProgram());
  stored_.reset();
  if (std::string text = OtherThreadsWarning(program.machine, threads_.team.threads);
      !text.empty()) {
    context_.console().Warning(text);
  }
  EngineOptions session{.context = program.symbols[Symbol::kS].max / program.sequences,
                        .block_positions = options_.kv == KvLayout::kPaged ? kPagePositions : 0};
  if (int64_t context = options_.model.compile.context; context != 0) session.context = context;
  ASSIGN_OR_RETURN(drafts_, RunDrafts::Open(options_, *model_, program, &context_.console()));
  ASSIGN_OR_RETURN(session_, LoadWithConsole(std::move(program), *model_, *registry_, session,
                                             options_.model.pack_cache, &context_));
  if (drafts_ != nullptr) {
    RETURN_IF_ERROR(drafts_->Load(options_, *session_, *registry_, &context_));
  }
  waits_ = std::make_unique<ThreadWaits>(registry_->backend(Device::kCpu));
  ASSIGN_OR_RETURN(recording_,
                   RunRecording::Start(options_, threads_, *registry_, session_.get(), &context_));
  return absl::OkStatus();
}

absl::StatusOr<Program> Runner::MakeProgram() {
  CompileModelOptions compile = options_.model.compile;
  if (options_.spec != Speculation::kOff) compile.logit_rows = kMaxDraft + 1;
  return CompileWithConsole(*model_, *registry_, compile, &context_);
}

absl::StatusOr<std::string> Runner::ReadPrompt() const {
  if (options_.prompt) return *options_.prompt;
  if (options_.prompt_file.empty() && isatty(STDIN_FILENO) != 0) {
    context_.console().Info("reading the prompt from the terminal; end it with Ctrl-D");
  }
  const std::string path = options_.prompt_file.empty() ? "-" : options_.prompt_file;
  ASSIGN_OR_RETURN(std::string text, ReadInput(path, kMaxPromptBytes));
  // An editor and `echo` end the last line with a newline that nobody meant as part of the prompt,
  // and that changes what a model continues with.
  if (!options_.keep_newline && text.ends_with('\n')) {
    text.pop_back();
    if (text.ends_with('\r')) text.pop_back();
  }
  if (!text.empty()) return text;
  return absl::InvalidArgumentError(
      StrCat(path == "-" ? "stdin" : path,
             ": the prompt is empty; give a text, or the model's start token with --ids"));
}

absl::Status Runner::PreparePrompt() {
  if (!options_.chat) {
    prompt_ids_ = options_.ids;
    if (prompt_ids_.empty()) {
      ASSIGN_OR_RETURN(std::string text, ReadPrompt());
      ASSIGN_OR_RETURN(prompt_ids_, tokenizer_->Encode(text));
    }
    return CheckFits(std::ssize(prompt_ids_), "the prompt");
  }
  conversation_.SetSystem(options_.system);
  const bool one_message = options_.prompt || !options_.prompt_file.empty();
  Conversation first = conversation_;
  first.AddUser("");
  if (one_message) {
    ASSIGN_OR_RETURN(std::string message, ReadPrompt());
    conversation_.AddUser(std::move(message));
    first = conversation_;
  }
  ASSIGN_OR_RETURN(ChatPrompt prompt, renderer_->Render(first, options_.think));
  return CheckFits(std::ssize(prompt.ids) + 1, one_message
                                                   ? "the message with the chat format"
                                                   : "the chat format with the system message");
}

absl::Status Runner::CheckFits(int64_t tokens, std::string_view what) const {
  ASSIGN_OR_RETURN(const ModelConfig config, family_->read_config(model_->gguf()));
  int64_t context = options_.model.compile.context;
  if (context == 0) {
    context = stored_ ? stored_->symbols[Symbol::kS].max / stored_->sequences
                      : std::min(kDefaultContext, config.context);
  }
  if (tokens <= context) return absl::OkStatus();
  const std::string found =
      StrCat(what, " takes ", tokens, " tokens, and the context holds ", context, "; ");
  if (tokens > config.context) {
    return absl::ResourceExhaustedError(
        StrCat(found, config.name, " was trained for ", config.context,
               " positions, so make the text shorter by ", tokens - config.context));
  }
  const int64_t answer = options_.max_tokens < 0 ? kUsualAnswer : options_.max_tokens;
  const int64_t enough = std::min(tokens + std::min(answer, config.context), config.context);
  return absl::ResourceExhaustedError(
      StrCat(found, "use -c ", enough, ", which leaves room for ", enough - tokens, " new tokens"));
}

}  // namespace infer
