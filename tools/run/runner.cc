// SPDX-License-Identifier: Apache-2.0
#include "tools/run/runner.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "absl/strings/str_format.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "tools/api/text_decoder_adapter.h"
#include "tools/cli/progress.h"
#include "tools/flags/console_load.h"
#include "tools/flags/rank_run.h"
#include "tools/run/verify_run.h"

namespace infer {
namespace {

int64_t CommonTokens(std::span<const int32_t> a, std::span<const int32_t> b) {
  const auto differs = std::ranges::mismatch(a, b).in1;
  return differs - a.begin();
}

}  // namespace

Runner::Runner(const RunOptions& options, ToolContext& context)
    : options_(options),
      context_(context),
      threads_(ChooseThreadsWithConsole(options.model.threads, &context.console())) {}

absl::StatusOr<std::unique_ptr<Runner>> Runner::Load(const RunOptions& options,
                                                     ToolContext& context) {
  using Clock = std::chrono::steady_clock;
  auto runner = std::unique_ptr<Runner>(new Runner(options, context));
  RETURN_IF_ERROR(runner->OpenModel());
  if (!FollowsRank0()) RETURN_IF_ERROR(runner->PreparePrompt());
  Clock::time_point start = Clock::now();
  RETURN_IF_ERROR(runner->Prepare());
  std::chrono::duration<double, std::milli> elapsed = Clock::now() - start;
  runner->session_->metrics().LoadDone(elapsed.count());
  context.console().Info(HeaderText(*runner->model_, *runner->session_, *runner->registry_,
                                    runner->threads_, elapsed.count()));
  context.console().Verbose(DetailText(*runner->model_, *runner->session_, *runner->registry_,
                                       runner->threads_, elapsed.count()));
  return runner;
}

absl::StatusOr<GenerationResult> Runner::Generate(const Request& request, const Sink& sink,
                                                  AnswerSpeed* speed) {
  const std::span<const int32_t> prompt = request.prompt;
  GenerationOptions generation;
  std::unique_ptr<TokenConstraint> constraint;
  const std::optional<AnswerRules>& rules = request.answers_results ? rules_after_results_ : rules_;
  if (rules) constraint = rules->NewConstraint(request.thought_is_open);
  generation.constraint = constraint.get();
  generation.max_tokens =
      request.max_tokens < 0 ? std::numeric_limits<int64_t>::max() : request.max_tokens;
  generation.sampler = request.sampler;
  generation.stop = options_.stop;
  if (drafts_ != nullptr) {
    generation.drafter = drafts_->drafter();
    generation.draft_length = drafts_->length();
  }
  if (!options_.ignore_eos) generation.end_ids = tokenizer_->vocabulary().end_ids();
  context_.console().Verbose(SamplerLine(request.sampler));
  // The last token is always run, for its logits.
  speed->prompt_tokens = std::ssize(prompt);
  speed->cached_tokens = std::min(CommonTokens(session_->tokens(), prompt), std::ssize(prompt) - 1);

  auto progress = ProgressReport(&context_.console(), "prompt", "tokens");
  GenerationCallbacks callbacks;
  callbacks.stop = &context_.interrupt().stop_flag();
  callbacks.shorten_prompt = request.shorten_prompt;
  callbacks.on_prefill = [&](int64_t done, int64_t total) {
    progress(done, total);
    if (done == total) waits_->EndPrefill();
  };
  callbacks.on_token = [&](int32_t id) { sink.on_token(id); };
  callbacks.on_text = sink.on_text;
  TextDecoderAdapter decoder(tokenizer_.get(), {.skip_control = true});
  const Metrics before = session_->metrics().Finish();
  absl::StatusOr<GenerationResult> result =
      infer::Generate(*session_, prompt, generation, decoder, callbacks);
  waits_->End();
  RETURN_IF_ERROR(result.status());
  const Metrics after = session_->metrics().Finish();
  speed->new_tokens = std::ssize(result->ids);
  speed->prefill_ms = after.prefill_ms - before.prefill_ms;
  speed->decode_tokens = after.decode_tokens - before.decode_tokens;
  speed->decode_ms = after.decode_ms - before.decode_ms;
  speed->reason = result->reason;
  context_.console().Debug(StrCat("ended    ", Name(result->reason), " after ", speed->new_tokens,
                                  " tokens, ", session_->tokens().size(), " of ",
                                  session_->context(), " positions of the cache in use"));
  if (const int64_t largest = session_->most_top_logits(); largest > 0) {
    const std::string_view why = result->whole_rows_because;
    context_.console().Debug(why.empty()
                                 ? StrCat("logits   the ", largest, " largest of each row copied")
                                 : StrCat("logits   whole rows copied: ", why));
  }
  return result;
}

void Runner::PrintSpeed(const AnswerSpeed& speed) {
  if (speed.reason == StopReason::kContextFull) {
    context_.console().Warning(
        absl::StrFormat("the %s was cut: the context of %d tokens is full; raise it with -c",
                        options_.chat ? "answer" : "text", session_->context()));
  }
  if (!options_.stats_given) context_.console().Info(SpeedLine(speed));
}

absl::Status Runner::Echo(ProductStream* product) const {
  for (int32_t id : prompt_ids_) product->Id(id);
  ASSIGN_OR_RETURN(std::string text, tokenizer_->Decode(prompt_ids_));
  product->Text(text);
  return absl::OkStatus();
}

absl::Status Runner::Complete() {
  ProductStream product(&context_.out(), options_.emit);
  if (options_.echo) RETURN_IF_ERROR(Echo(&product));
  const std::vector<int32_t> prompt = PromptOrStart(prompt_ids_, tokenizer_->vocabulary());
  context_.console().Debug(StrCat("prompt   ", prompt.size(), " tokens"));
  const Sink sink = {[&](std::string_view piece) { return product.Text(piece); },
                     [&](int32_t id) { product.Id(id); }};
  AnswerSpeed speed;
  const Request request = {.prompt = prompt,
                           .sampler = SamplerFor(options_, *family_),
                           .max_tokens = options_.max_tokens};
  RETURN_IF_ERROR(Generate(request, sink, &speed).status());
  RETURN_IF_ERROR(product.Finish());
  PrintSpeed(speed);
  return speed.reason == StopReason::kCancelled ? context_.interrupt().Check() : absl::OkStatus();
}

absl::Status Runner::Verify() {
  const std::vector<int32_t> prompt = PromptOrStart(prompt_ids_, tokenizer_->vocabulary());
  if (options_.verify_invariance) return VerifyInvariance(*session_, prompt, &context_);
  return VerifyRun(options_, *model_, *registry_, session_.get(), prompt, &context_);
}

std::string Runner::StatisticsText() {
  return StatsText(session_->metrics().Finish(), session_->packed_weights(), threads_, *waits_,
                   options_.stats);
}

void Runner::PrintStats() {
  if (options_.stats == StatsForm::kNone) return;
  const std::string text = StatisticsText();
  options_.stats_given ? context_.console().Report(text) : context_.console().Verbose(text);
}

absl::Status Runner::FinishRecording() {
  return recording_ == nullptr ? absl::OkStatus() : recording_->Finish();
}

}  // namespace infer
