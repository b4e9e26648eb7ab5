// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/api/answer_session.h"

#include <utility>

#include "ir/base/strings.h"

namespace infer::serve {
namespace {

constexpr char kAbandoned[] =
    "the server is shutting down and did not finish this answer; try again";

Finish FinishOf(ChoiceEnd end, int calls) {
  if (end == ChoiceEnd::kMaxTokens || end == ChoiceEnd::kContextFull) return Finish::kLength;
  return calls > 0 ? Finish::kToolCalls : Finish::kStop;
}

}  // namespace

// Listens to the answer of one prompt.
class AnswerSession::Part final : public RequestListener {
 public:
  Part(std::shared_ptr<AnswerSession> session, size_t first_choice,
       std::unique_ptr<RequestObserver> observer)
      : session_(std::move(session)), first_choice_(first_choice), observer_(std::move(observer)) {}

  void OnAdmitted(const RequestSummary& summary) override {
    session_->CountPrompt(counted_, summary);
    counted_ = summary;
    session_->OnAdmitted();
  }
  bool OnToken(const TokenOutput& token) override {
    if (observer_ != nullptr) observer_->OnToken(token.choice);
    return session_->OnToken(first_choice_, token);
  }
  void OnChoiceEnd(int32_t choice, ChoiceEnd end) override {
    if (observer_ != nullptr) observer_->OnChoiceEnd(end);
    session_->OnChoiceEnd(first_choice_ + static_cast<size_t>(choice), end);
  }
  void OnStepEnd() override { session_->Flush(); }
  void OnEnd(const RequestSummary& summary, const absl::Status& status) override {
    if (observer_ != nullptr) observer_->OnEnd(summary, status);
    session_->CountPrompt(counted_, summary);
    session_->OnPartEnd(summary, status);
  }
  void OnRefused() {
    if (observer_ != nullptr) observer_->OnRefused();
  }

 private:
  const std::shared_ptr<AnswerSession> session_;
  const size_t first_choice_;
  const std::unique_ptr<RequestObserver> observer_;
  RequestSummary counted_;  // what of the prompt is in the usage
};

AnswerSession::AnswerSession(SessionOptions options, std::shared_ptr<http::Responder> responder)
    : options_(std::move(options)),
      responder_(std::move(responder)),
      output_(responder_, options_.dialect),
      parts_(options_.runner) {}

void AnswerSession::Watch() {
  // Weak: the responder keeps the functions, and the session the responder.
  responder_->OnClosed([weak = weak_from_this()] {
    const std::shared_ptr<AnswerSession> session = weak.lock();
    if (session == nullptr) return;
    session->output_.Close();
    session->parts_.CancelAll();
  });
  responder_->OnBacklog([weak = weak_from_this()](bool is_full) {
    if (const std::shared_ptr<AnswerSession> session = weak.lock()) {
      session->parts_.SetPaused(is_full);
    }
  });
}

void AnswerSession::Start(GenerationRequest request, PreparedRequest prepared) {
  request_ = std::move(request);
  prepared_ = std::move(prepared);
  shape_ = NewShape(request_);
  std::vector<TokenRequest> parts = std::move(prepared_.token_requests);
  // The readers need what all parts have in common.
  prepared_.token_requests.resize(1);
  prepared_.token_requests[0].top_logprobs = parts[0].top_logprobs;
  parts_left_ = parts.size();
  const size_t choices = parts.size() * static_cast<size_t>(prepared_.choices);
  answer_ = NewAnswer(options_.model->name(), choices);
  has_changed_.resize(choices);
  for (size_t i = 0; i < choices; ++i) {
    readers_.push_back(std::make_unique<ChoiceReader>(&options_.model->tokenizer(), &prepared_));
  }
  is_started_ = true;
  Submit(std::move(parts));
}

void AnswerSession::Submit(std::vector<TokenRequest> prompts) {
  std::vector<std::unique_ptr<RequestObserver>> observers(prompts.size());
  if (options_.new_observers) {
    observers = options_.new_observers(options_.request_id, prompts.size());
  }
  for (size_t i = 0; i < prompts.size(); ++i) {
    prompts[i].tenant = options_.tenant;
    prompts[i].cache_salt = StrCat(options_.salt_prefix, prompts[i].cache_salt);
    auto part = std::make_shared<Part>(
        shared_from_this(), i * static_cast<size_t>(prepared_.choices), std::move(observers[i]));
    const absl::StatusOr<RequestId> id = options_.runner->Submit(std::move(prompts[i]), part);
    if (id.ok()) {
      parts_.Add(*id);
      continue;
    }
    part->OnRefused();
    for (size_t later = i + 1; later < prompts.size(); ++later) {
      if (observers[later] != nullptr) observers[later]->OnRefused();
    }
    Fail(id.status());
    parts_.CancelAll();
    return;
  }
}

http::Headers AnswerSession::AnswerHeaders() const {
  http::Headers headers;
  if (!request_.ignored.empty()) {
    std::string text = "ignored parameters:";
    for (const std::string& name : request_.ignored) StrAppend(&text, " ", name);
    headers.emplace_back("x-infer-warnings", std::move(text));
  }
  if (prepared_.has_unbound_tools) {
    headers.emplace_back("x-infer-warnings", "the schemas of some tools are not enforced");
  }
  return headers;
}

void AnswerSession::CountPrompt(const RequestSummary& before, const RequestSummary& now) {
  answer_.usage.prompt_tokens += now.prompt_tokens - before.prompt_tokens;
  answer_.usage.cached_tokens += now.cached_tokens - before.cached_tokens;
}

void AnswerSession::OnAdmitted() {
  if (!request_.stream || std::exchange(has_begun_, true)) return;
  shape_->Begin(answer_, &out_);
  output_.StartStream(AnswerHeaders(), std::exchange(out_, {}), shape_.get());
}

bool AnswerSession::OnToken(size_t first_choice, const TokenOutput& token) {
  const size_t choice = first_choice + static_cast<size_t>(token.choice);
  has_changed_[choice] = true;
  return readers_[choice]->Add(token);
}

void AnswerSession::AddPieces(size_t choice) {
  for (const AnswerPiece& piece : readers_[choice]->TakePieces()) {
    AddPiece(piece, choice, /*keep_logprobs=*/!request_.stream, &answer_);
    if (request_.stream) shape_->Add(answer_, choice, piece, &out_);
  }
}

void AnswerSession::OnChoiceEnd(size_t choice, ChoiceEnd end) {
  if (end == ChoiceEnd::kCancelled || end == ChoiceEnd::kError) return;
  ChoiceReader& reader = *readers_[choice];
  reader.Finish();
  AddPieces(choice);
  answer_.choices[choice].stop_string = reader.stop_string();
  answer_.choices[choice].finish = FinishOf(end, reader.calls());
  answer_.usage.reasoning_tokens += reader.thought_tokens();
  if (request_.stream) shape_->EndChoice(answer_, choice, &out_);
  has_changed_[choice] = false;
}

void AnswerSession::Flush() {
  for (size_t i = 0; i < has_changed_.size(); ++i) {
    if (!has_changed_[i]) continue;
    AddPieces(i);
    has_changed_[i] = false;
  }
  if (!out_.empty()) output_.Write(std::exchange(out_, {}));
}

void AnswerSession::OnPartEnd(const RequestSummary& summary, const absl::Status& status) {
  --parts_left_;
  AnswerUsage& usage = answer_.usage;
  usage.completion_tokens += summary.generated_tokens;
  usage.cache_end = summary.cache_end;
  usage.queue_ms += summary.queue_ms;
  usage.prefill_ms += summary.prefill_ms;
  usage.decode_ms += summary.decode_ms;
  if (!status.ok() && !has_failed_) {
    has_failed_ = true;
    Fail(status);
    parts_.CancelAll();
  }
  if (parts_left_ > 0) return;
  if (!has_failed_) Finish();
  readers_.clear();
}

void AnswerSession::Finish() {
  bool is_sent = false;
  if (request_.stream) {
    shape_->End(answer_, &out_);
    is_sent = output_.EndStream(std::exchange(out_, {}));
  } else {
    http::Response response;
    response.body = shape_->Body(answer_);
    response.headers = AnswerHeaders();
    is_sent = output_.Send(std::move(response));
  }
  if (is_sent && options_.on_answered && prepared_.is_chat && answer_.choices.size() == 1) {
    std::string salt = StrCat(options_.salt_prefix, request_.cache_salt);
    options_.on_answered(std::move(request_), std::move(answer_.choices[0]), std::move(salt));
  }
}

void AnswerSession::Fail(const absl::Status& status) {
  // A request is cancelled because its client has gone, or because the server does.
  ApiError error = ErrorOf(is_abandoned_ ? absl::UnavailableError(kAbandoned) : status);
  if (error.status == 429 || error.status == 503) {
    error.retry_after_s = options_.runner->RetryAfterSeconds();
  }
  output_.Fail(error);
}

void AnswerSession::Abandon() {
  is_abandoned_ = true;
  // The runner's thread ends what was submitted: it may be writing an event now.
  parts_.CancelAll();
  if (!is_started_) Fail(absl::UnavailableError(kAbandoned));
}

}  // namespace infer::serve
