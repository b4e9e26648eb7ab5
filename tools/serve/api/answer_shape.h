// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "tools/serve/api/answer.h"
#include "tools/serve/api/api_error.h"
#include "tools/serve/api/generation_request.h"

namespace infer::serve {

// Writes an answer in the form of one API: whole, or as events while it is generated. A stream is
// Begin, any number of Add, EndChoice for each choice, and End; or Fail anywhere. Each appends
// complete events to `out`.
class AnswerShape {
 public:
  virtual ~AnswerShape() = default;

  virtual std::string Body(const Answer& answer) = 0;

  virtual void Begin(const Answer& answer, std::string* out) = 0;
  // `piece` is already in `answer`.
  virtual void Add(const Answer& answer, size_t choice, const AnswerPiece& piece,
                   std::string* out) = 0;
  virtual void EndChoice(const Answer& answer, size_t choice, std::string* out) = 0;
  virtual void End(const Answer& answer, std::string* out) = 0;
  virtual void Fail(const ApiError& error, std::string* out) = 0;

  // Keeps a stream alive while nothing else can be sent. One newline only: an empty line would end
  // an event, which some clients then parse.
  virtual std::string_view ping() const { return ": ping\n"; }
};

std::unique_ptr<AnswerShape> NewChatShape(const GenerationRequest& request);
std::unique_ptr<AnswerShape> NewCompletionShape(const GenerationRequest& request);
std::unique_ptr<AnswerShape> NewResponsesShape(const GenerationRequest& request);
std::unique_ptr<AnswerShape> NewMessagesShape(const GenerationRequest& request);
// Returns the shape of the request's API.
std::unique_ptr<AnswerShape> NewShape(const GenerationRequest& request);

}  // namespace infer::serve
