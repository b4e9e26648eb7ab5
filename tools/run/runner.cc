// SPDX-License-Identifier: Apache-2.0
#include "tools/run/runner.h"

#include <unistd.h>

#include <chrono>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "backends/backends.h"
#include "ir/status_macros.h"
#include "ir/strings.h"
#include "runtime/check_weights.h"
#include "tools/cli/input.h"
#include "tools/cli/progress.h"
#include "tools/model/memory_estimate.h"
#include "tools/model/program_file.h"
#include "tools/tokenize/text_decoder_adapter.h"

namespace infer {
namespace {

constexpr uint64_t kMaxPromptBytes = uint64_t{64} << 20;
constexpr int32_t kPagePositions = 32;
// Where the chat template is not one we know, the model may expect another format.
constexpr std::string_view kTemplateKey = "tokenizer.chat_template";

}  // namespace

absl::StatusOr<std::unique_ptr<Runner>> Runner::Load(const RunOptions& options,
                                                     ToolContext& context) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point start = Clock::now();
  auto runner = std::unique_ptr<Runner>(new Runner(options, context));
  runner->sampler_ = SamplerFor(options);
  RETURN_IF_ERROR(Validate(runner->sampler_));
  runner->registry_ = MakeKernelRegistry();
  ASSIGN_OR_RETURN(Program program, runner->MakeProgram());
  SessionOptions session{.context = program.symbols[Symbol::kS].max,
                         .block_positions = options.kv == KvLayout::kPaged ? kPagePositions : 0};
  if (options.context != 0) session.context = options.context;
  ASSIGN_OR_RETURN(runner->session_, Session::Create(std::move(program), runner->model_->weights(),
                                                     *runner->registry_, session));
  ASSIGN_OR_RETURN(Tokenizer tokenizer,
                   runner->model_->ReadTokenizer(runner->session_->vocabulary()));
  runner->tokenizer_ = std::make_unique<Tokenizer>(std::move(tokenizer));
  runner->session_->metrics().LoadDone(
      std::chrono::duration<double, std::milli>(Clock::now() - start).count());
  runner->PrintHeader();
  return runner;
}

absl::StatusOr<Program> Runner::MakeProgram() {
  if (options_.graph.empty()) {
    ASSIGN_OR_RETURN(ModelFile model, ModelFile::Open(options_.model));
    model_ = std::make_unique<ModelFile>(std::move(model));
    CompileModelOptions compile;
    compile.policy = options_.policy;
    compile.kv_type = options_.kv_type;
    compile.context = options_.context;
    compile.chunk = options_.chunk;
    return CompileModel(*model_, *registry_, compile);
  }
  ASSIGN_OR_RETURN(Program program, ReadProgramFile(options_.graph));
  std::string path = options_.model;
  if (path.empty()) {
    ASSIGN_OR_RETURN(path, FindModelBeside(options_.graph, program));
  }
  ASSIGN_OR_RETURN(ModelFile model, ModelFile::Open(path));
  model_ = std::make_unique<ModelFile>(std::move(model));
  RETURN_IF_ERROR(
      CheckWeights(program, model_->weights(),
                   options_.verify_weights ? WeightCheck::kFull : WeightCheck::kSampled));
  return program;
}

void Runner::PrintHeader() const {
  const Program& program = session_->program();
  std::map<std::string, int> targets;
  for (const Node* node : program.regimes[0].graph.nodes()) {
    if (node->placement()) ++targets[std::string(Name(node->placement()->target))];
  }
  std::string counts = absl::StrJoin(targets, ", ", absl::PairFormatter(" "));
  const GgufFile& file = model_->gguf();
  absl::StatusOr<std::string_view> name = file.metadata().GetStringOr("general.name", file.path());
  Console& console = context_.console();
  console.Info(absl::StrFormat("model    %s (%s)", name.ok() ? *name : file.path(), file.path()));
  console.Info(absl::StrFormat("program  policy %s, %d regime(s), nodes: %s", program.policy.name,
                               program.regimes.size(), counts));
  console.Info("threads  1 = the scalar target runs on one");
  absl::StatusOr<MemoryEstimate> memory = EstimateMemory(program, file);
  if (memory.ok()) {
    console.Info(absl::StrFormat(
        "memory   at most %.1f MiB: kv %.1f for %d tokens of %s, arena %.1f",
        memory->total() / 1048576.0, memory->kv / 1048576.0, session_->context(),
        program.states.empty() ? "" : Name(program.states[0].dtype), memory->arena / 1048576.0));
  }
  console.Info(absl::StrFormat("sampler  temp %g, top-k %d, top-p %g, seed %d",
                               sampler_.temperature, sampler_.top_k, sampler_.top_p,
                               sampler_.seed));
}

absl::StatusOr<std::string> Runner::ReadPrompt() const {
  if (options_.prompt) return *options_.prompt;
  return ReadInput(options_.prompt_file.empty() ? "-" : options_.prompt_file, kMaxPromptBytes);
}

absl::StatusOr<GenerationResult> Runner::Run(const std::vector<int32_t>& prompt,
                                             std::string* text) {
  GenerationOptions generation;
  generation.max_tokens = options_.max_tokens;
  generation.sampler = sampler_;
  generation.stop = options_.stop;
  if (!options_.ignore_eos) generation.end_ids = tokenizer_->vocabulary().end_ids();

  absl::Status written;
  bool first_id = true;
  std::unique_ptr<Progress> progress;
  GenerationCallbacks callbacks;
  callbacks.stop = &context_.interrupt().stop_flag();
  callbacks.on_prefill = [&](int64_t done, int64_t total) {
    if (!progress)
      progress = std::make_unique<Progress>(&context_.console(), "prompt", total, "tokens");
    progress->Update(done);
    if (done == total) progress.reset();
  };
  callbacks.on_token = [&](int32_t id) {
    if (options_.emit != EmitForm::kIds || !written.ok()) return;
    written = context_.out().Stream(StrCat(first_id ? "" : ",", id));
    first_id = false;
  };
  callbacks.on_text = [&](std::string_view piece) {
    if (text != nullptr) text->append(piece);
    if (options_.emit == EmitForm::kText && written.ok()) written = context_.out().Stream(piece);
    return written.ok();
  };
  TextDecoderAdapter decoder(tokenizer_.get(), {.skip_control = true});
  absl::StatusOr<GenerationResult> result =
      Generate(*session_, prompt, generation, decoder, callbacks);
  progress.reset();
  RETURN_IF_ERROR(written);
  RETURN_IF_ERROR(result.status());
  RETURN_IF_ERROR(context_.out().Stream("\n"));
  if (result->reason == StopReason::kContextFull) {
    context_.console().Warning(
        absl::StrFormat("the context of %d tokens is full; raise it with -c", session_->context()));
  }
  if (result->reason == StopReason::kCancelled) return context_.interrupt().Check();
  return result;
}

absl::Status Runner::Complete() {
  std::vector<int32_t> prompt = options_.ids;
  if (prompt.empty()) {
    ASSIGN_OR_RETURN(std::string text, ReadPrompt());
    ASSIGN_OR_RETURN(prompt, tokenizer_->Encode(text));
    if (options_.echo) RETURN_IF_ERROR(context_.out().Stream(text));
  }
  if (prompt.empty()) {
    // A text from nothing begins as the model's documents do.
    prompt.push_back(tokenizer_->vocabulary().bos().value_or(tokenizer_->vocabulary().eos()));
  }
  return Run(prompt, nullptr).status();
}

absl::Status Runner::Answer(std::string message) {
  messages_.push_back(
      {.role = "user", .content = std::move(message), .reasoning_content = {}, .tool_calls = {}});
  ChatOptions chat;
  chat.enable_thinking = options_.think != ThinkMode::kOff;
  ASSIGN_OR_RETURN(std::string prompt, RenderQwen3Chat(messages_, chat));
  if (options_.think == ThinkMode::kOn) prompt += "<think>\n";
  ASSIGN_OR_RETURN(std::vector<int32_t> ids, tokenizer_->Encode(prompt));
  std::string answer;
  if (options_.think == ThinkMode::kOn) answer = "<think>\n";
  RETURN_IF_ERROR(Run(ids, &answer).status());
  messages_.push_back({.role = "assistant",
                       .content = std::move(answer),
                       .reasoning_content = {},
                       .tool_calls = {}});
  return absl::OkStatus();
}

absl::Status Runner::Chat() {
  const Metadata& metadata = model_->gguf().metadata();
  absl::StatusOr<std::string_view> chat_template = metadata.GetStringOr(kTemplateKey, "");
  if (chat_template.ok() && !IsKnownQwen3ChatTemplate(*chat_template)) {
    context_.console().Warning(
        "the file's chat template is not one of Qwen3's that are known here; using Qwen3's");
  }
  if (!options_.system.empty()) {
    messages_.push_back(
        {.role = "system", .content = options_.system, .reasoning_content = {}, .tool_calls = {}});
  }
  if (options_.prompt || !options_.prompt_file.empty()) {
    ASSIGN_OR_RETURN(std::string message, ReadPrompt());
    return Answer(std::move(message));
  }
  bool terminal = isatty(STDIN_FILENO) != 0;
  if (terminal) context_.console().Info("one message a line; end with Ctrl-D");
  std::string line;
  while (!context_.interrupt().requested() && std::getline(std::cin, line)) {
    if (!line.empty()) RETURN_IF_ERROR(Answer(std::move(line)));
  }
  return context_.interrupt().Check();
}

void Runner::PrintStats() {
  if (options_.stats == StatsForm::kNone) return;
  Metrics metrics = session_->metrics().Finish();
  if (options_.stats == StatsForm::kText) {
    std::string text = ToText(metrics);
    if (!text.empty() && text.back() == '\n') text.pop_back();
    context_.console().Info(text);
    return;
  }
  nlohmann::ordered_json json;
  json["schema_version"] = 1;
  for (const MetricField& field : Fields(metrics)) {
    std::visit([&](auto value) { json[std::string(field.name)] = value; }, field.value);
  }
  context_.console().Info(json.dump());
}

}  // namespace infer
