// SPDX-License-Identifier: Apache-2.0
//
// One call of the model: which tokens are in it, and what becomes of its logits.
#include <algorithm>
#include <utility>

#include "runtime/serving/runner_loop.h"

namespace infer {

void RequestRunner::Loop::AddToStep(RunningStream* running, const StepRequest& request,
                                    bool is_prompt) {
  running->in_step = true;
  in_step_.push_back({running->request, running->stream, step_.size(), is_prompt});
  const int64_t tokens = std::ssize(request.tokens);
  symbols_.t += tokens;
  symbols_.r += request.logit_rows;
  symbols_.s += running->stream->held() + tokens;
  symbols_.sequences += 1;
  if (is_prompt) {
    record_.prompt_tokens += static_cast<int32_t>(tokens);
    ++running->request->summary().prompt_chunks;
  } else {
    record_.decode_rows += 1;
    record_.draft_tokens += static_cast<int32_t>(tokens - 1);
    shares_.Charge(running->request->request().tenant, 1);
  }
  step_.push_back(request);
}

bool RequestRunner::Loop::BuildStep() {
  step_.clear();
  in_step_.clear();
  symbols_ = {.t = 0, .r = 0, .s = 0, .sequences = 0};
  record_ = {.start_ms = report_.Now()};
  for (RunningStream& running : running_.all()) running.in_step = false;
  AddDecodeRows();
  AddPrompts();
  if (step_.empty()) AddAnything();
  RequeuePreempted();
  return !step_.empty();
}

void RequestRunner::Loop::AddDecodeRows() {
  std::vector<TextStream*> decoding;
  for (const RunningStream& running : running_.all()) {
    if (!running.request->paused && !running.stream->is_prefilling()) {
      decoding.push_back(running.stream);
    }
  }
  // Every stream must find a row and a place for its next token; the rest is for drafts.
  const KvCache& cache = engine_->cache();
  const int64_t streams = std::ssize(running_.all());
  int64_t draft_room =
      std::min(engine_->program().symbols[Symbol::kR].max, engine_->max_step_tokens()) - streams;
  for (TextStream* stream : decoding) {
    if (running_.Find(stream) == nullptr) continue;  // preempted for a senior one
    if (!running_.EnsureBlocks(stream, 1, /*preempt=*/true)) {
      running_.Preempt(stream);
      continue;
    }
    // Nobody gives up a block for a guess.
    const bool has_blocks = cache.MissingBlocks(stream->sequence(), 1 + kMaxDraft) <=
                            cache.free_blocks() + cache.idle_blocks() - streams;
    const StepRequest request =
        stream->NextTokens(has_blocks ? draft_room : 0, std::ssize(decoding));
    const int64_t tokens = std::ssize(request.tokens);
    if (!running_.EnsureBlocks(stream, tokens, /*preempt=*/false)) {
      stream->AbandonCall();
      running_.Preempt(stream);
      continue;
    }
    draft_room -= tokens - 1;
    AddToStep(running_.Find(stream), request, /*is_prompt=*/false);
  }
}

void RequestRunner::Loop::AddPrompts() {
  const ServingClock::time_point now = ServingClock::now();
  std::vector<TextStream*> streams;
  std::vector<PromptWork> prompts;
  PromptLoad load;
  for (const RunningStream& running : running_.all()) {
    if (running.request->paused || !running.stream->is_prefilling()) continue;
    streams.push_back(running.stream);
    ++load.prompts;
    load.held += running.stream->held();
    prompts.push_back({.tenant = running.request->request().tenant,
                       .remaining = running.stream->remaining(),
                       .priority = running.request->request().priority,
                       .age_ms = MsBetween(running.request->submitted(), now)});
  }
  if (prompts.empty()) return;
  // What runs in idle time must be over soon when a request comes.
  const bool is_streaming = !step_.empty() || prefetch_ != nullptr;
  const int64_t budget = PromptBudget(symbols_, is_streaming, load,
                                      {engine_->max_step_tokens(), options_.step_ms}, cost_);
  for (const PromptPart& part : DivideBudget(budget, prompts, shares_)) {
    TextStream* stream = streams[part.prompt];
    const int64_t tokens = std::min(part.tokens, running_.TokensThatFit(*stream));
    if (tokens <= 0 || !running_.EnsureBlocks(stream, tokens, /*preempt=*/false)) continue;
    AddToStep(running_.Find(stream), stream->NextPromptTokens(tokens), /*is_prompt=*/true);
  }
}

// Nothing could be added because blocks are missing: the oldest stream gets those of others.
void RequestRunner::Loop::AddAnything() {
  for (const RunningStream& running : running_.all()) {
    if (running.request->paused) continue;
    TextStream* stream = running.stream;
    const int64_t most = std::min(stream->remaining(), engine_->max_step_tokens());
    const int64_t tokens = std::min<int64_t>(most, engine_->cache().block_positions());
    if (!running_.EnsureBlocks(stream, tokens, /*preempt=*/true)) return;
    return AddToStep(running_.Find(stream), stream->NextPromptTokens(tokens), /*is_prompt=*/true);
  }
}

void RequestRunner::Loop::RunStep() {
  symbols_.r = std::max<int64_t>(symbols_.r, 1);
  record_.estimated_ms = cost_.PredictMs(symbols_);
  const ServingClock::time_point start = ServingClock::now();
  const absl::Status ran = engine_->Step(step_);
  const double call_ms = MsBetween(start, ServingClock::now());
  if (!ran.ok()) return StepFailed(ran);
  cost_.Took(symbols_, call_ms);
  CountStep(call_ms);
  ChooseTokens();
  FinishStep();
}

void RequestRunner::Loop::StepFailed(const absl::Status& status) {
  for (const InStep& in : in_step_) in.stream->AbandonCall();
  for (const InStep& in : in_step_) {
    if (in.request == prefetch_.get()) {
      running_.Release(in.stream);
      ended_.push_back(std::move(prefetch_));
    } else {
      EndRequest(in.request, status);
    }
  }
}

void RequestRunner::Loop::CountStep(double call_ms) {
  record_.call_ms = call_ms;
  ++state_.steps;
  if (prefetch_ == nullptr) state_.computed_prompt_tokens += record_.prompt_tokens;
  const std::vector<Regime>& regimes = engine_->program().regimes;
  while (record_.regime + 1 < std::ssize(regimes) &&
         symbols_.t > regimes[static_cast<size_t>(record_.regime)].max_tokens) {
    ++record_.regime;
  }
  if (record_.prompt_tokens > 0 || record_.draft_tokens % record_.decode_rows != 0) return;
  const int64_t drafted = record_.draft_tokens / record_.decode_rows;
  if (std::ranges::any_of(
          step_, [&](const auto& part) { return std::ssize(part.tokens) != 1 + drafted; })) {
    return;
  }
  for (const InStep& in : in_step_) in.stream->CallTook(drafted, call_ms);
}

// The other choices of a request continue from its prompt, which was computed once.
void RequestRunner::Loop::StartClones(const InStep& original, std::vector<InStep>* open) {
  for (size_t i = 1; i < original.request->streams().size(); ++i) {
    TextStream* stream = original.request->streams()[i].get();
    if (stream->started() || stream->ended) continue;
    const absl::Status started = stream->Start(draft_estimates_ ? &*draft_estimates_ : nullptr);
    if (!started.ok()) return EndRequest(original.request, started);
    if (running_.AdmitClone(original.request, stream, *original.stream)) {
      open->push_back({original.request, stream, original.index, true});
    } else {
      waiting_.Add({original.request, stream, ServingClock::now()});
    }
  }
}

void RequestRunner::Loop::ChooseTokens() {
  std::vector<InStep> open;
  for (const InStep& in : in_step_) {
    if (step_[in.index].logit_rows == 0) continue;
    open.push_back(in);
    if (in.stream->choice() == 0 && in.stream->generated() == 0) StartClones(in, &open);
  }
  // A prompt of which nothing more is wanted.
  std::erase_if(open, [this](const InStep& in) {
    if (in.request->request().max_tokens > 0 || in.stream->ended) return in.stream->ended;
    in.stream->ended = true;
    EndChoice(in.request, in.stream, ChoiceEnd::kMaxTokens);
    return true;
  });
  // Row by row: that of the last token, then those of the drafts that turn out to be right.
  while (!open.empty()) {
    const ServingClock::time_point start = ServingClock::now();
    rows_.clear();
    for (const InStep& in : open) rows_.push_back(in.stream->NextRow(in.index));
    tokens_.resize(open.size(), SampledToken());
    engine_->Sample(rows_, tokens_);
    const ServingClock::time_point sampled = ServingClock::now();
    std::vector<InStep> still_open;
    for (size_t i = 0; i < open.size(); ++i) {
      if (TakeToken(open[i], tokens_[i])) still_open.push_back(open[i]);
    }
    record_.sample_ms += MsBetween(start, sampled);
    record_.report_ms += MsBetween(sampled, ServingClock::now());
    open = std::move(still_open);
  }
}

// Returns whether the call has logits for the token after it too.
bool RequestRunner::Loop::TakeToken(const InStep& in, const absl::StatusOr<SampledToken>& sampled) {
  if (in.stream->ended) return false;  // with its request
  if (!sampled.ok()) {
    in.stream->EndCall();
    EndRequest(in.request, sampled.status());
    return false;
  }
  std::optional<ChoiceEnd> end = in.stream->Append(sampled->id);
  const bool goes_on = in.request->ReportToken(*in.stream, sampled->id, ServingClock::now());
  ++state_.generated_tokens;
  if (!goes_on) end = ChoiceEnd::kListener;
  if (!end && !in.request->failed() && in.stream->Continues(sampled->id)) return true;
  const DraftCounts drafts = in.stream->EndCall();
  in.request->summary().drafted_tokens += drafts.proposed;
  in.request->summary().accepted_tokens += drafts.accepted;
  if (in.request->failed()) {
    EndRequest(in.request, in.request->failure());
  } else if (end) {
    in.stream->ended = true;
    EndChoice(in.request, in.stream, *end);
  }
  return false;
}

void RequestRunner::Loop::FinishStep() {
  const ServingClock::time_point start = ServingClock::now();
  running_.AddFullBlocks();
  // A step of streams that move together would otherwise clear a block for each of them at once.
  KvCache& cache = engine_->cache();
  if (cache.clean_blocks() < std::ssize(running_.all())) cache.ClearOneBlock();
  for (const InStep& in : in_step_) {
    if (in.request == prefetch_.get()) {
      if (in.stream->ended) ended_.push_back(std::move(prefetch_));
      continue;
    }
    if (!requests_.contains(in.request->id())) continue;
    in.request->ReportStepEnd();
    if (in.request->failed()) {
      EndRequest(in.request, in.request->failure());
    } else if (in.request->all_ended()) {
      EndRequest(in.request, absl::OkStatus());
    }
  }
  record_.report_ms += MsBetween(start, ServingClock::now());
  record_.running = static_cast<int32_t>(running_.all().size());
  record_.waiting = static_cast<int32_t>(waiting_.size());
  report_.AddStep(record_);
}

}  // namespace infer
