// SPDX-License-Identifier: Apache-2.0
//
// Implements generation of text on a sequence, behind the public header.
#include "ir/base/status_macros.h"
#include "runtime/generation.h"
#include "runtime/row_logprobs.h"
#include "tools/api/drafting.h"
#include "tools/api/generate_params.h"
#include "tools/api/handles.h"
#include "tools/api/text_decoder_adapter.h"

namespace infer::engine {
namespace {

// Adds what drafts need; warns if the program cannot run them, or if they may change the text.
void AddDrafts(SequenceHandle& sequence, GenerationOptions* options,
               std::vector<std::string>* warnings) {
  const infer::Program& program = sequence.session->program();
  if (sequence.session->max_logit_rows() < 2) {
    warnings->push_back("no drafts: the program was compiled without them");
    return;
  }
  if (sequence.ngrams == nullptr) {
    sequence.ngrams = std::make_unique<NgramDrafter>(sequence.session->context());
    sequence.draft_length = std::make_unique<DraftLength>(DraftCosts(program), kUsualDraft);
    sequence.draft_warning = DraftWarning(program);
  }
  if (!sequence.draft_warning.empty()) warnings->push_back(sequence.draft_warning);
  options->drafter = sequence.ngrams.get();
  options->draft_length = sequence.draft_length.get();
}

MadeToken MadeTokenOf(int32_t id, std::span<const float> logits, int32_t top_logprobs) {
  MadeToken made = {.id = id, .logits = logits.data(), .vocabulary = std::ssize(logits)};
  if (top_logprobs < 0) return made;
  RowLogprobs logprobs = {.wanted = top_logprobs};
  ComputeLogprobs(logits, id, &logprobs);
  made.logprob = logprobs.chosen;
  for (const TokenLogprob& one : logprobs.top) made.top.emplace_back(one.id, one.logprob);
  return made;
}

// Runs the generation loop. Holds the turn while the model runs and yields it for every callback,
// so that other sequences advance in between and a callback may use another sequence.
absl::StatusOr<Generated> Run(SequenceHandle& sequence, std::vector<int32_t> prompt,
                              const GenerateParams& params, bool is_chat,
                              std::string_view text_start) {
  const ModelHandle& model = *sequence.engine->model;
  ASSIGN_OR_RETURN(const std::shared_ptr<const AnswerRules> rules,
                   RulesFor(params, model, is_chat));
  std::unique_ptr<TokenConstraint> constraint;
  if (rules != nullptr) constraint = rules->NewConstraint(/*thought_is_open=*/!text_start.empty());
  infer::Session& session = *sequence.session;
  ASSIGN_OR_RETURN(GenerationOptions options, OptionsFor(params, model, is_chat));
  prompt = PromptOrStart(std::move(prompt), model.tokenizer.vocabulary());
  Generated made;
  if (rules != nullptr) made.warnings = rules->warnings();
  if (params.ngram_drafts) AddDrafts(sequence, &options, &made.warnings);
  options.constraint = constraint.get();
  made.seed = options.sampler.seed;
  made.prompt_tokens = std::ssize(prompt);
  made.text = text_start;
  Turn& turn = sequence.engine->threads->turn;
  GenerationCallbacks callbacks;
  callbacks.stop = params.cancel;
  callbacks.on_prefill = [&](int64_t done, int64_t total) {
    YieldTurn yield(&turn);
    if (params.on_prefill) params.on_prefill(done, total);
  };
  std::vector<float> logits;  // a copy: another sequence may run while the callback reads them
  if (params.on_token) {
    callbacks.on_logits = [&](std::span<const float> row) {
      logits.assign(row.begin(), row.end());
    };
  }
  callbacks.on_token = [&](int32_t id) {
    YieldTurn yield(&turn);
    if (params.on_token) params.on_token(MadeTokenOf(id, logits, params.top_logprobs));
  };
  callbacks.on_text = [&](std::string_view piece) {
    made.text.append(piece);
    if (!params.on_text) return true;
    YieldTurn yield(&turn);
    return params.on_text(piece);
  };
  if (params.on_text && !text_start.empty() && !params.on_text(text_start)) {
    made.reason = static_cast<int>(StopReason::kCallback);
    return made;
  }
  TextDecoderAdapter decoder(&model.tokenizer, {.skip_control = true});
  std::lock_guard<Turn> hold(turn);
  const Metrics before = session.metrics().Finish();
  ASSIGN_OR_RETURN(GenerationResult result,
                   infer::Generate(session, prompt, options, decoder, callbacks));
  const Metrics after = session.metrics().Finish();
  made.ids = std::move(result.ids);
  made.reason = static_cast<int>(result.reason);
  made.drafted_tokens = result.drafts.proposed;
  made.accepted_tokens = result.drafts.accepted;
  made.draft_gain = result.drafts.gain();
  made.prefill_ms = after.prefill_ms - before.prefill_ms;
  made.decode_ms = after.decode_ms - before.decode_ms;
  if (!made.ids.empty()) made.first_token_ms = after.time_to_first_token_ms;
  if (result.reason != StopReason::kCancelled || !made.ids.empty()) {
    made.cached_tokens = made.prompt_tokens - (after.prefill_tokens - before.prefill_tokens);
  }
  return made;
}

}  // namespace

Outcome<Generated> GenerateText(SequenceHandle& sequence, const std::string& prompt,
                                const GenerateParams& params) {
  return Guard([&]() -> absl::StatusOr<Generated> {
    ASSIGN_OR_RETURN(std::vector<int32_t> ids, sequence.engine->model->tokenizer.Encode(prompt));
    return Run(sequence, std::move(ids), params, /*is_chat=*/false, "");
  });
}

Outcome<Generated> GenerateIds(SequenceHandle& sequence, const std::vector<int32_t>& prompt,
                               const GenerateParams& params) {
  return Guard([&]() -> absl::StatusOr<Generated> {
    RETURN_IF_ERROR(CheckIds(prompt, sequence.session->vocabulary()));
    return Run(sequence, prompt, params, /*is_chat=*/false, "");
  });
}

Outcome<Generated> Chat(SequenceHandle& sequence, const std::vector<ChatTurn>& messages,
                        const GenerateParams& params) {
  const ModelHandle& model = *sequence.engine->model;
  return Guard([&]() -> absl::StatusOr<Generated> {
    ASSIGN_OR_RETURN(ChatPrompt prompt, PromptFor(model, messages, params));
    ASSIGN_OR_RETURN(Generated made, Run(sequence, std::move(prompt.ids), params, /*is_chat=*/true,
                                         prompt.text_start));
    made.turn = TurnOf(std::string_view(made.text).substr(prompt.text_start.size()),
                       !prompt.text_start.empty(), params.tools);
    if (!model.chat.warning().empty()) made.warnings.push_back(model.chat.warning());
    return made;
  });
}

void Clear(SequenceHandle& sequence) {
  std::lock_guard<Turn> turn(sequence.engine->threads->turn);
  sequence.session->Clear();
}

std::vector<int32_t> Tokens(const SequenceHandle& sequence) {
  return {sequence.session->tokens().begin(), sequence.session->tokens().end()};
}

}  // namespace infer::engine
