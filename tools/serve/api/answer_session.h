// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "tools/serve/api/answer.h"
#include "tools/serve/api/answer_output.h"
#include "tools/serve/api/answer_shape.h"
#include "tools/serve/api/choice_reader.h"
#include "tools/serve/api/generation_request.h"
#include "tools/serve/api/prepared_request.h"
#include "tools/serve/api/request_group.h"
#include "tools/serve/api/request_observer.h"
#include "tools/serve/api/served_model.h"
#include "tools/serve/api/token_runner.h"
#include "tools/serve/http/http.h"

namespace infer::serve {

struct SessionOptions {
  const ServedModel* model = nullptr;
  TokenRunner* runner = nullptr;
  NewObservers new_observers = {};
  ErrorDialect dialect = ErrorDialect::kOpenAi;
  std::string request_id = {};   // of HTTP
  std::string tenant = {};       // who shares the machine
  std::string salt_prefix = {};  // keeps the caches of tenants apart
  // Called on the runner's thread with the first choice of a chat that has ended well.
  std::function<void(GenerationRequest request, ChoiceAnswer answer, std::string cache_salt)>
      on_answered = {};
};

// One request from the moment it arrives until its answer is sent: watches the client, submits the
// request, one part for each of its prompts, and turns tokens into the answer of its API.
class AnswerSession : public std::enable_shared_from_this<AnswerSession> {
 public:
  using Clock = AnswerOutput::Clock;

  AnswerSession(SessionOptions options, std::shared_ptr<http::Responder> responder);

  // Begins to watch the client. To be called once, when the request arrives.
  void Watch();
  // Whether the client has gone, so that nothing needs to be done any more.
  bool is_closed() const { return output_.is_closed(); }

  // Submits the request. Called on the worker's thread.
  void Start(GenerationRequest request, PreparedRequest prepared);
  // Answers with an error, as a status of HTTP or, in a stream, as its last event.
  void Fail(const absl::Status& status);
  // Ends a request that the server will not finish: it drains.
  void Abandon();
  // Sends something if nothing was sent for `quiet`, so that the client stays.
  void KeepAlive(Clock::time_point now, Clock::duration quiet) { output_.KeepAlive(now, quiet); }

 private:
  class Part;

  void Submit(std::vector<TokenRequest> prompts);

  // Of Part, on the runner's thread.
  void OnAdmitted();
  bool OnToken(size_t first_choice, const TokenOutput& token);
  void OnChoiceEnd(size_t choice, ChoiceEnd end);
  void Flush();
  void OnPartEnd(const RequestSummary& summary, const absl::Status& status);
  void CountPrompt(const RequestSummary& before, const RequestSummary& now);

  void AddPieces(size_t choice);
  void Finish();
  http::Headers AnswerHeaders() const;

  const SessionOptions options_;
  const std::shared_ptr<http::Responder> responder_;

  // Set by Start, then used on the runner's thread alone.
  GenerationRequest request_;
  PreparedRequest prepared_;
  std::unique_ptr<AnswerShape> shape_;
  Answer answer_;
  std::vector<std::unique_ptr<ChoiceReader>> readers_;  // by choice; null once it has ended
  std::vector<bool> has_changed_;                       // by choice, since the last Flush
  std::string out_;                                     // events to be written
  size_t parts_left_ = 0;
  bool has_begun_ = false;  // its stream
  bool has_failed_ = false;

  AnswerOutput output_;
  RequestGroup parts_;
  std::atomic<bool> is_started_ = false;  // submitted, or about to be
  std::atomic<bool> is_abandoned_ = false;
};

}  // namespace infer::serve
