// SPDX-License-Identifier: Apache-2.0
//
// Implements many generations at once, behind the public header.
#include <atomic>
#include <memory>
#include <optional>
#include <utility>

#include "ir/base/status_macros.h"
#include "runtime/serving/request_runner.h"
#include "runtime/stop_strings.h"
#include "tools/api/estimated_call.h"
#include "tools/api/generate_params.h"
#include "tools/api/handles.h"
#include "tools/api/text_decoder_adapter.h"

namespace infer::engine {

struct ServerHandle {
  EnginePtr engine;
  std::unique_ptr<RequestRunner> runner;  // destroyed first: it uses the engine
};

namespace {

MadeToken MadeTokenOf(const TokenOutput& token) {
  MadeToken made = {.id = token.id, .logprob = token.logprob};
  for (const TokenLogprob& one : token.top) made.top.emplace_back(one.id, one.logprob);
  return made;
}

// Turns the tokens of one request into text, and its end into a result.
class TextListener : public RequestListener {
 public:
  TextListener(const ModelHandle* model, const GenerateParams& params, StopStrings stops,
               bool is_chat, std::string_view text_start, Done done)
      : params_(params),
        stops_(std::move(stops)),
        decoder_(&model->tokenizer, {.skip_control = true}),
        is_chat_(is_chat),
        text_start_(text_start),
        done_(std::move(done)) {}

  Generated& made() { return made_; }

  void OnAdmitted(const RequestSummary&) override { Show(text_start_); }

  bool OnToken(const TokenOutput& token) override {
    if (params_.cancel != nullptr && *params_.cancel) {
      end_ = StopReason::kCancelled;
      return false;
    }
    made_.ids.push_back(token.id);
    if (params_.on_token) params_.on_token(MadeTokenOf(token));
    piece_.clear();
    decoder_.Append(token.id, &piece_);
    Show(stops_.Push(piece_));
    if (stops_.found()) end_ = StopReason::kStopString;
    return !end_;
  }

  void OnChoiceEnd(int32_t, ChoiceEnd end) override {
    piece_.clear();
    decoder_.Flush(&piece_);
    Show(stops_.Push(piece_));
    Show(stops_.Finish());
    if (stops_.found()) end_ = StopReason::kStopString;
    if (end_) return;
    end_ = end == ChoiceEnd::kMaxTokens     ? StopReason::kMaxTokens
           : end == ChoiceEnd::kContextFull ? StopReason::kContextFull
           : end == ChoiceEnd::kCancelled   ? StopReason::kCancelled
                                            : StopReason::kEndToken;
  }

  void OnStepEnd() override {}

  void OnEnd(const RequestSummary& summary, const absl::Status& status) override {
    if (!done_) return;
    if (!status.ok() && !absl::IsCancelled(status)) {
      return done_(Failure{static_cast<int>(KindOf(status)), std::string(status.message())});
    }
    made_.reason = static_cast<int>(end_.value_or(StopReason::kCancelled));
    made_.prompt_tokens = summary.prompt_tokens;
    made_.cached_tokens = summary.cached_tokens;
    made_.first_token_ms = made_.ids.empty() ? 0 : summary.queue_ms + summary.prefill_ms;
    made_.prefill_ms = summary.prefill_ms;
    made_.decode_ms = summary.decode_ms;
    made_.drafted_tokens = summary.drafted_tokens;
    made_.accepted_tokens = summary.accepted_tokens;
    if (is_chat_) {
      made_.turn = TurnOf(std::string_view(made_.text).substr(text_start_.size()),
                          !text_start_.empty(), params_.tools);
    }
    done_(std::move(made_));
  }

 private:
  void Show(std::string_view text) {
    if (text.empty()) return;
    made_.text.append(text);
    if (end_ == StopReason::kCallback || !params_.on_text) return;
    if (!params_.on_text(text)) end_ = StopReason::kCallback;
  }

  const GenerateParams params_;
  StopStrings stops_;
  TextDecoderAdapter decoder_;
  const bool is_chat_;
  const std::string_view text_start_;
  const Done done_;
  std::string piece_;
  std::optional<StopReason> end_;
  Generated made_;
};

absl::StatusOr<uint64_t> Submit(ServerHandle& server, ChatPrompt prompt, bool is_chat,
                                const GenerateParams& params, Done done) {
  const ModelHandle& model = *server.engine->model;
  ASSIGN_OR_RETURN(GenerationOptions options, OptionsFor(params, model, is_chat));
  ASSIGN_OR_RETURN(const std::shared_ptr<const AnswerRules> rules,
                   RulesFor(params, model, is_chat));
  ASSIGN_OR_RETURN(StopStrings stops, StopStrings::Create(options.stop));
  TokenRequest request = {
      .prompt = PromptOrStart(std::move(prompt.ids), model.tokenizer.vocabulary()),
      .max_tokens = options.max_tokens,
      .sampler = options.sampler,
      .end_ids = options.end_ids,
      .top_logprobs = params.on_token ? params.top_logprobs : -1};
  if (rules != nullptr) {
    request.new_constraint = [rules, is_open = !prompt.text_start.empty()] {
      return rules->NewConstraint(is_open);
    };
  }
  auto listener = std::make_shared<TextListener>(&model, params, std::move(stops), is_chat,
                                                 prompt.text_start, std::move(done));
  listener->made().seed = options.sampler.seed;
  if (rules != nullptr) listener->made().warnings = rules->warnings();
  return server.runner->Submit(std::move(request), std::move(listener));
}

}  // namespace

Outcome<ServerPtr> CreateServer(ModelPtr model, ProgramPtr program, const ServerParams& params) {
  Outcome<EnginePtr> engine = CreateEngine(std::move(model), std::move(program), params.engine);
  if (auto* failure = std::get_if<Failure>(&engine)) return std::move(*failure);
  return Guard([&]() -> absl::StatusOr<ServerPtr> {
    auto server = std::make_shared<ServerHandle>();
    server->engine = std::get<EnginePtr>(engine);
    RunnerOptions options;
    options.max_running = params.running;
    options.max_waiting = params.waiting;
    options.step_ms = params.step_ms;
    const std::shared_ptr<const infer::Program>& compiled = server->engine->program->program;
    options.estimate_ms = [compiled](const SymbolValues& call) {
      return EstimatedCallNs(*compiled, call) / 1e6;
    };
    absl::StatusOr<std::unique_ptr<RequestRunner>> runner =
        RequestRunner::Create(server->engine->engine, options);
    if (!runner.ok()) return AsUsageError(runner.status());
    server->runner = *std::move(runner);
    return server;
  });
}

Outcome<uint64_t> SubmitText(ServerHandle& server, const std::string& prompt,
                             const GenerateParams& params, Done done) {
  return Guard([&]() -> absl::StatusOr<uint64_t> {
    ASSIGN_OR_RETURN(std::vector<int32_t> ids, server.engine->model->tokenizer.Encode(prompt));
    return Submit(server, {std::move(ids), ""}, /*is_chat=*/false, params, std::move(done));
  });
}

Outcome<uint64_t> SubmitChat(ServerHandle& server, const std::vector<ChatTurn>& messages,
                             const GenerateParams& params, Done done) {
  return Guard([&]() -> absl::StatusOr<uint64_t> {
    ASSIGN_OR_RETURN(ChatPrompt prompt, PromptFor(*server.engine->model, messages, params));
    return Submit(server, std::move(prompt), /*is_chat=*/true, params, std::move(done));
  });
}

void CancelRequest(ServerHandle& server, uint64_t id) { server.runner->Cancel(id); }

}  // namespace infer::engine
