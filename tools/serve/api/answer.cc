// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/api/answer.h"

#include <ctime>
#include <random>
#include <utility>

#include "absl/strings/str_format.h"
#include "ir/base/strings.h"

namespace infer::serve {

Answer NewAnswer(std::string model, size_t choices) {
  Answer answer;
  // Random and not the id of the HTTP request, which the client may have chosen.
  std::random_device device;
  answer.id = absl::StrFormat("%08x%08x%08x", device(), device(), device());
  answer.created = std::time(nullptr);
  answer.model = std::move(model);
  answer.choices.resize(choices);
  return answer;
}

void AddPiece(const AnswerPiece& piece, size_t choice, bool keep_logprobs, Answer* answer) {
  ChoiceAnswer& to = answer->choices[choice];
  switch (piece.part) {
    case AnswerPart::kThought:
      to.thought += piece.text;
      break;
    case AnswerPart::kContent:
      to.content += piece.text;
      if (keep_logprobs) {
        to.logprobs.insert(to.logprobs.end(), piece.logprobs.begin(), piece.logprobs.end());
      }
      break;
    case AnswerPart::kToolName:
      to.calls.push_back(
          {StrCat("call_", answer->id, "_", choice, "_", to.calls.size()), piece.text, ""});
      break;
    case AnswerPart::kToolArguments:
      to.calls.back().arguments += piece.text;
      break;
  }
}

}  // namespace infer::serve
