// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/api/answer_session.h"

#include <ctime>
#include <random>
#include <utility>

#include "absl/strings/str_format.h"
#include "ir/base/strings.h"

namespace infer::serve {
namespace {

constexpr std::string_view kEventStream = "text/event-stream; charset=utf-8";

constexpr char kAbandoned[] =
    "the server is shutting down and did not finish this answer; try again";

// Ids are random and not the HTTP request's, which the client may have chosen.
std::string NewAnswerId() {
  std::random_device device;
  return absl::StrFormat("%08x%08x%08x", device(), device(), device());
}

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
    : options_(std::move(options)), responder_(std::move(responder)), last_write_(Clock::now()) {}

void AnswerSession::Watch() {
  // Weak: the responder keeps the functions, and the session the responder.
  responder_->OnClosed([weak = weak_from_this()] {
    const std::shared_ptr<AnswerSession> session = weak.lock();
    if (session == nullptr) return;
    {
      std::lock_guard<std::mutex> lock(session->mutex_);
      session->closed_ = true;
    }
    session->CancelAll();
  });
  responder_->OnBacklog([weak = weak_from_this()](bool is_full) {
    const std::shared_ptr<AnswerSession> session = weak.lock();
    if (session == nullptr) return;
    std::vector<RequestId> ids;
    {
      std::lock_guard<std::mutex> lock(session->mutex_);
      session->paused_ = is_full;
      ids = session->ids_;
    }
    for (const RequestId id : ids) session->options_.runner->SetPaused(id, is_full);
  });
}

bool AnswerSession::is_closed() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return closed_ || output_ == Output::kEnded;
}

void AnswerSession::Start(GenerationRequest request, PreparedRequest prepared) {
  request_ = std::move(request);
  prepared_ = std::move(prepared);
  shape_ = NewShape(request_);
  answer_.id = NewAnswerId();
  answer_.created = std::time(nullptr);
  answer_.model = options_.model->name();
  std::vector<TokenRequest> parts = std::move(prepared_.token_requests);
  // The readers need what all parts have in common.
  prepared_.token_requests.resize(1);
  prepared_.token_requests[0].top_logprobs = parts[0].top_logprobs;
  parts_left_ = parts.size();
  const size_t choices = parts.size() * static_cast<size_t>(prepared_.choices);
  answer_.choices.resize(choices);
  has_changed_.resize(choices);
  for (size_t i = 0; i < choices; ++i) {
    readers_.push_back(std::make_unique<ChoiceReader>(&options_.model->tokenizer(), &prepared_));
  }
  for (size_t i = 0; i < parts.size(); ++i) {
    parts[i].tenant = options_.tenant;
    parts[i].cache_salt = StrCat(options_.salt_prefix, parts[i].cache_salt);
    // A line of the log holds one prompt's figures.
    const std::string logged = i == 0 ? options_.request_id : "";
    auto observer = options_.new_observer ? options_.new_observer(logged) : nullptr;
    auto part = std::make_shared<Part>(
        shared_from_this(), i * static_cast<size_t>(prepared_.choices), std::move(observer));
    const absl::StatusOr<RequestId> id = options_.runner->Submit(std::move(parts[i]), part);
    if (!id.ok()) {
      part->OnRefused();
      SendError(id.status());
      CancelAll();
      return;
    }
    bool is_late = false;
    bool is_paused = false;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      ids_.push_back(*id);
      is_late = stops_parts_ || closed_;
      is_paused = paused_;
    }
    if (is_late) options_.runner->Cancel(*id);
    if (is_paused) options_.runner->SetPaused(*id, true);
  }
}

void AnswerSession::CancelAll() {
  std::vector<RequestId> ids;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stops_parts_ = true;
    ids = ids_;
  }
  for (const RequestId id : ids) options_.runner->Cancel(id);
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
  if (!request_.stream) return;
  std::lock_guard<std::mutex> lock(mutex_);
  if (output_ != Output::kNone) return;
  output_ = Output::kStreaming;
  responder_->StartStream(std::string(kEventStream), AnswerHeaders());
  shape_->Begin(answer_, &out_);
  if (!out_.empty()) responder_->Write(std::exchange(out_, {}));
  last_write_ = Clock::now();
}

bool AnswerSession::OnToken(size_t first_choice, const TokenOutput& token) {
  const size_t choice = first_choice + static_cast<size_t>(token.choice);
  has_changed_[choice] = true;
  return readers_[choice]->Add(token);
}

void AnswerSession::AddPieces(size_t choice) {
  ChoiceAnswer& answer = answer_.choices[choice];
  for (const AnswerPiece& piece : readers_[choice]->TakePieces()) {
    switch (piece.part) {
      case AnswerPart::kThought:
        answer.thought += piece.text;
        break;
      case AnswerPart::kContent:
        answer.content += piece.text;
        if (!request_.stream) {
          answer.logprobs.insert(answer.logprobs.end(), piece.logprobs.begin(),
                                 piece.logprobs.end());
        }
        break;
      case AnswerPart::kToolName:
        answer.calls.push_back(
            {StrCat("call_", answer_.id, "_", choice, "_", answer.calls.size()), piece.text, ""});
        break;
      case AnswerPart::kToolArguments:
        answer.calls.back().arguments += piece.text;
        break;
    }
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
  if (out_.empty()) return;
  std::lock_guard<std::mutex> lock(mutex_);
  if (output_ != Output::kStreaming) return out_.clear();
  responder_->Write(std::exchange(out_, {}));
  last_write_ = Clock::now();
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
    SendError(status);
    CancelAll();
  }
  if (parts_left_ > 0) return;
  if (!has_failed_) Finish();
  readers_.clear();
}

void AnswerSession::Finish() {
  if (request_.stream) {
    shape_->End(answer_, &out_);
    std::lock_guard<std::mutex> lock(mutex_);
    if (output_ != Output::kStreaming) return;
    output_ = Output::kEnded;
    responder_->Write(std::exchange(out_, {}));
    responder_->End();
  } else {
    http::Response response;
    response.body = shape_->Body(answer_);
    response.headers = AnswerHeaders();
    std::lock_guard<std::mutex> lock(mutex_);
    if (output_ != Output::kNone) return;
    output_ = Output::kEnded;
    responder_->Send(std::move(response));
  }
  if (options_.on_answered && prepared_.is_chat && answer_.choices.size() == 1) {
    std::string salt = StrCat(options_.salt_prefix, request_.cache_salt);
    options_.on_answered(std::move(request_), std::move(answer_.choices[0]), std::move(salt));
  }
}

void AnswerSession::SendError(const absl::Status& status) {
  std::lock_guard<std::mutex> lock(mutex_);
  // A request is cancelled because its client has gone, or because the server does.
  ApiError error = ErrorOf(abandoned_ ? absl::UnavailableError(kAbandoned) : status);
  if (error.status == 429 || error.status == 503) {
    error.retry_after_s = options_.runner->RetryAfterSeconds();
  }
  if (output_ == Output::kNone) {
    responder_->Send(ErrorResponse(error, options_.dialect));
  } else if (output_ == Output::kStreaming) {
    std::string event;
    shape_->Fail(error, &event);
    responder_->Write(std::move(event));
    responder_->End();
  }
  output_ = Output::kEnded;
}

void AnswerSession::Fail(const absl::Status& status) { SendError(status); }

void AnswerSession::Abandon() {
  bool is_submitted = false;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    abandoned_ = true;
    is_submitted = !ids_.empty();
  }
  // The runner's thread ends what was submitted: it may be writing an event now.
  CancelAll();
  if (!is_submitted) SendError(absl::UnavailableError(kAbandoned));
}

void AnswerSession::KeepAlive(Clock::time_point now, Clock::duration quiet) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (output_ != Output::kStreaming || closed_ || now - last_write_ < quiet) return;
  responder_->Write(std::string(shape_->ping()));
  last_write_ = now;
}

}  // namespace infer::serve
