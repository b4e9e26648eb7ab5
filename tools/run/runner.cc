// SPDX-License-Identifier: Apache-2.0
#include "tools/run/runner.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "absl/strings/str_format.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "runtime/check_weights.h"
#include "tools/api/compile_to_run.h"
#include "tools/api/input.h"
#include "tools/api/program_file.h"
#include "tools/api/text_decoder_adapter.h"
#include "tools/cli/progress.h"
#include "tools/flags/console_load.h"
#include "tools/report/machine_text.h"
#include "tools/run/line_reader.h"
#include "tools/run/report.h"
#include "tools/run/verify_run.h"

namespace infer {
namespace {

constexpr uint64_t kMaxPromptBytes = uint64_t{64} << 20;
// Block size of a paged cache: a multiple of what kernels read at once, small compared with a
// context.
constexpr int32_t kPagePositions = 32;
constexpr std::string_view kTemplateKey = "tokenizer.chat_template";

ChatMessage Message(std::string role, std::string content) {
  ChatMessage message;
  message.role = std::move(role);
  message.content = std::move(content);
  return message;
}

}  // namespace

Runner::Runner(const RunOptions& options, ToolContext& context)
    : options_(options),
      context_(context),
      threads_(ChooseThreadsWithConsole(options.model.threads, &context.console())) {}

absl::StatusOr<std::unique_ptr<Runner>> Runner::Load(const RunOptions& options,
                                                     ToolContext& context) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point start = Clock::now();
  auto runner = std::unique_ptr<Runner>(new Runner(options, context));
  RETURN_IF_ERROR(runner->Prepare());
  std::chrono::duration<double, std::milli> elapsed = Clock::now() - start;
  runner->session_->metrics().LoadDone(elapsed.count());
  context.console().Info(HeaderText(*runner->model_, *runner->session_, *runner->registry_,
                                    runner->threads_, elapsed.count(), runner->sampler_));
  return runner;
}

absl::Status Runner::Prepare() {
  ASSIGN_OR_RETURN(registry_, MakeKernelRegistry(threads_));
  ASSIGN_OR_RETURN(Program program, options_.graph.empty() ? MakeProgram() : LoadStoredProgram());
  if (std::string text = OtherThreadsWarning(program.machine, threads_.team.threads);
      !text.empty()) {
    context_.console().Warning(text);
  }
  ASSIGN_OR_RETURN(family_, model_->Family());
  sampler_ = SamplerFor(options_, *family_);
  EngineOptions session{.context = program.symbols[Symbol::kS].max / program.sequences,
                        .block_positions = options_.kv == KvLayout::kPaged ? kPagePositions : 0};
  if (int64_t context = options_.model.compile.context; context != 0) session.context = context;
  ASSIGN_OR_RETURN(drafts_, RunDrafts::Open(options_, *model_, program, &context_.console()));
  ASSIGN_OR_RETURN(session_, LoadWithConsole(std::move(program), *model_, *registry_, session,
                                             options_.model.pack_cache, &context_));
  if (drafts_ != nullptr) {
    RETURN_IF_ERROR(drafts_->Load(options_, *session_, *registry_, &context_));
  }
  ASSIGN_OR_RETURN(Tokenizer tokenizer, model_->ReadTokenizer());
  tokenizer_ = std::make_unique<Tokenizer>(std::move(tokenizer));
  waits_ = std::make_unique<ThreadWaits>(registry_->backend(Device::kCpu));
  ASSIGN_OR_RETURN(recording_,
                   RunRecording::Start(options_, threads_, *registry_, session_.get(), &context_));
  return absl::OkStatus();
}

absl::StatusOr<Program> Runner::MakeProgram() {
  ASSIGN_OR_RETURN(ModelFile model, ModelFile::Open(options_.model.model));
  model_ = std::make_unique<ModelFile>(std::move(model));
  CompileModelOptions compile = options_.model.compile;
  compile.warn = [this](const std::string& text) { context_.console().Warning(text); };
  if (options_.spec != Speculation::kOff) compile.logit_rows = kMaxDraft + 1;
  return CompileToRun(*model_, *registry_, compile);
}

absl::StatusOr<Program> Runner::LoadStoredProgram() {
  ASSIGN_OR_RETURN(Program program, ReadProgramFile(options_.graph));
  std::string path = options_.model.model;
  if (path.empty()) {
    ASSIGN_OR_RETURN(path, FindModelBeside(options_.graph, program));
  }
  ASSIGN_OR_RETURN(ModelFile model, ModelFile::Open(path));
  model_ = std::make_unique<ModelFile>(std::move(model));
  auto has_full_hash = [](const Weight& weight) { return weight.full_hash.has_value(); };
  if (options_.verify_weights &&
      !std::all_of(program.weights.begin(), program.weights.end(), has_full_hash)) {
    return absl::InvalidArgumentError(
        StrCat(options_.graph, ": holds no full hashes for --verify-weights to compare with; ",
               "compile it again with infer-compile --hash full"));
  }
  RETURN_IF_ERROR(
      CheckWeights(program, model_->weights(),
                   options_.verify_weights ? WeightCheck::kFull : WeightCheck::kSampled));
  return program;
}

absl::StatusOr<std::string> Runner::ReadPrompt() const {
  if (options_.prompt) return *options_.prompt;
  if (options_.prompt_file.empty() && isatty(STDIN_FILENO) != 0) {
    context_.console().Info("reading the prompt from the terminal; end it with Ctrl-D");
  }
  return ReadInput(options_.prompt_file.empty() ? "-" : options_.prompt_file, kMaxPromptBytes);
}

absl::StatusOr<GenerationResult> Runner::RunGeneration(const std::vector<int32_t>& prompt,
                                                       ProductStream* product, std::string* text) {
  GenerationOptions generation;
  generation.max_tokens = options_.max_tokens;
  generation.sampler = sampler_;
  generation.stop = options_.stop;
  if (drafts_ != nullptr) {
    generation.drafter = drafts_->drafter();
    generation.draft_length = drafts_->length();
  }
  if (!options_.ignore_eos) generation.end_ids = tokenizer_->vocabulary().end_ids();

  auto progress = ProgressReport(&context_.console(), "prompt", "tokens");
  GenerationCallbacks callbacks;
  callbacks.stop = &context_.interrupt().stop_flag();
  callbacks.on_prefill = [&](int64_t done, int64_t total) {
    progress(done, total);
    if (done == total) waits_->EndPrefill();
  };
  callbacks.on_token = [&](int32_t id, std::span<const float>) { product->Id(id); };
  callbacks.on_text = [&](std::string_view piece) {
    if (text != nullptr) text->append(piece);
    return product->Text(piece);
  };
  TextDecoderAdapter decoder(tokenizer_.get(), {.skip_control = true});
  absl::StatusOr<GenerationResult> result =
      Generate(*session_, prompt, generation, decoder, callbacks);
  waits_->End();
  return result;
}

absl::Status Runner::Run(const std::vector<int32_t>& prompt, ProductStream* product,
                         std::string* text) {
  absl::StatusOr<GenerationResult> result = RunGeneration(prompt, product, text);
  RETURN_IF_ERROR(result.status());
  RETURN_IF_ERROR(product->Finish());
  if (result->reason == StopReason::kContextFull) {
    context_.console().Warning(
        absl::StrFormat("the context of %d tokens is full; raise it with -c", session_->context()));
  }
  if (result->reason == StopReason::kMaxTokens && options_.max_tokens > 0) {
    context_.console().Info(absl::StrFormat("stopped after %d tokens (-n)", result->ids.size()));
  }
  return result->reason == StopReason::kCancelled ? context_.interrupt().Check() : absl::OkStatus();
}

absl::StatusOr<std::vector<int32_t>> Runner::PromptIds() const {
  if (!options_.ids.empty()) return options_.ids;
  ASSIGN_OR_RETURN(std::string text, ReadPrompt());
  return tokenizer_->Encode(text);
}

absl::Status Runner::Echo(const std::vector<int32_t>& prompt, ProductStream* product) const {
  for (int32_t id : prompt) product->Id(id);
  ASSIGN_OR_RETURN(std::string text, tokenizer_->Decode(prompt));
  product->Text(text);
  return absl::OkStatus();
}

absl::Status Runner::Complete() {
  ASSIGN_OR_RETURN(std::vector<int32_t> prompt, PromptIds());
  ProductStream product(&context_.out(), options_.emit);
  if (options_.echo) RETURN_IF_ERROR(Echo(prompt, &product));
  prompt = PromptOrStart(std::move(prompt), tokenizer_->vocabulary());
  return Run(prompt, &product, nullptr);
}

absl::Status Runner::Verify() {
  ASSIGN_OR_RETURN(std::vector<int32_t> prompt, PromptIds());
  prompt = PromptOrStart(std::move(prompt), tokenizer_->vocabulary());
  if (options_.verify_invariance) return VerifyInvariance(*session_, prompt, &context_);
  return VerifyRun(options_, *model_, *registry_, session_.get(), prompt, &context_);
}

absl::Status Runner::Answer(std::string message) {
  messages_.push_back(Message("user", std::move(message)));
  ChatOptions chat;
  chat.enable_thinking = options_.think != ThinkMode::kOff;
  ASSIGN_OR_RETURN(std::string prompt, family_->chat.render(messages_, chat));
  ProductStream product(&context_.out(), options_.emit);
  std::string answer;
  if (options_.think == ThinkMode::kOn) {
    prompt += family_->chat.thought_start;
    answer = family_->chat.thought_start;
    product.Text(family_->chat.thought_start);
  }
  ASSIGN_OR_RETURN(std::vector<int32_t> ids, tokenizer_->Encode(prompt));
  RETURN_IF_ERROR(Run(ids, &product, &answer));
  messages_.push_back(Message("assistant", std::move(answer)));
  return absl::OkStatus();
}

void Runner::WarnOfOtherTemplate() const {
  const Metadata& metadata = model_->gguf().metadata();
  absl::StatusOr<std::string_view> chat_template = metadata.GetStringOr(kTemplateKey, "");
  if (!chat_template.ok() || chat_template->empty()) {
    context_.console().Warning(
        StrCat("the file has no chat template; using ", family_->chat.name, "'s"));
  } else if (!family_->chat.reproduces(*chat_template)) {
    context_.console().Warning(StrCat("the file's chat template is not one of ", family_->chat.name,
                                      "'s known templates; using ", family_->chat.name, "'s"));
  }
}

absl::Status Runner::Chat() {
  WarnOfOtherTemplate();
  if (!options_.system.empty()) messages_.push_back(Message("system", options_.system));
  if (options_.prompt || !options_.prompt_file.empty()) {
    ASSIGN_OR_RETURN(std::string message, ReadPrompt());
    return Answer(std::move(message));
  }
  if (isatty(STDIN_FILENO) != 0) context_.console().Info("one message a line; end with Ctrl-D");
  LineReader lines(STDIN_FILENO, kMaxPromptBytes, &context_.interrupt().stop_flag());
  for (;;) {
    // Let the threads sleep while the user types.
    registry_->backend(Device::kCpu)->Pause();
    ASSIGN_OR_RETURN(std::optional<std::string> line, lines.Next());
    if (!line) return absl::OkStatus();
    if (!line->empty()) RETURN_IF_ERROR(Answer(*std::move(line)));
  }
}

void Runner::PrintStats() {
  if (options_.stats == StatsForm::kNone) return;
  const std::string text = StatsText(session_->metrics().Finish(), session_->packed_weights(),
                                     threads_, *waits_, options_.stats);
  options_.stats_given ? context_.console().Report(text) : context_.console().Info(text);
}

absl::Status Runner::FinishRecording() {
  return recording_ == nullptr ? absl::OkStatus() : recording_->Finish();
}

}  // namespace infer
