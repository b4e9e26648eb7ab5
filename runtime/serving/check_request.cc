// SPDX-License-Identifier: Apache-2.0
#include "runtime/serving/check_request.h"

#include <iterator>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

absl::Status CheckIds(std::string_view what, std::span<const int32_t> ids, int64_t vocabulary) {
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] >= 0 && ids[i] < vocabulary) continue;
    return absl::InvalidArgumentError(
        StrCat("token ", i, " of the ", what, " is ", ids[i], ", expected 0 to ", vocabulary - 1));
  }
  return absl::OkStatus();
}

absl::Status CheckRange(std::string_view what, int64_t found, int64_t low, int64_t high) {
  if (found >= low && found <= high) return absl::OkStatus();
  return absl::InvalidArgumentError(StrCat(what, " is ", found, ", expected ", low, " to ", high));
}

}  // namespace

absl::Status CheckPrompt(std::span<const int32_t> prompt, const Engine& engine) {
  if (prompt.empty()) return absl::InvalidArgumentError("the prompt has no tokens");
  if (std::ssize(prompt) > engine.context()) {
    return absl::OutOfRangeError(StrCat("the prompt has ", prompt.size(),
                                        " tokens, more than the context of ", engine.context(),
                                        "; shorten it or use a larger context"));
  }
  return CheckIds("prompt", prompt, engine.vocabulary());
}

absl::Status CheckRequest(const TokenRequest& request, const Engine& engine) {
  RETURN_IF_ERROR(CheckPrompt(request.prompt, engine));
  RETURN_IF_ERROR(CheckRange("the number of choices", request.choices, 1, kMaxChoices));
  RETURN_IF_ERROR(CheckRange("top_logprobs", request.top_logprobs, -1, kMaxTopLogprobs));
  if (request.max_tokens < 0) {
    return absl::InvalidArgumentError(
        StrCat("max_tokens is ", request.max_tokens, ", expected 0 or more"));
  }
  RETURN_IF_ERROR(Validate(request.sampler));
  for (const LogitBias& bias : request.sampler.logit_bias) {
    RETURN_IF_ERROR(CheckIds("logit bias", {&bias.id, 1}, engine.vocabulary()));
  }
  return absl::OkStatus();
}

}  // namespace infer
