// SPDX-License-Identifier: Apache-2.0
//
// What a server asks of a model, in token ids: requests in, tokens out.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "runtime/row_logprobs.h"
#include "runtime/sampler.h"
#include "runtime/token_constraint.h"

namespace infer {

using RequestId = uint64_t;

// A prompt and how to continue it.
struct TokenRequest {
  std::vector<int32_t> prompt = {};  // at least one token
  int64_t max_tokens = 256;          // of each choice
  int32_t choices = 1;               // continuations of the prompt; choice i draws with seed + i
  SamplerOptions sampler = {};
  std::vector<int32_t> end_ids = {};  // tokens that end a choice
  // Makes the constraint of one choice; none if it is empty or returns null. Called on the runner's
  // thread, so the grammar behind it is compiled before.
  std::function<std::unique_ptr<TokenConstraint>()> new_constraint = {};
  int32_t top_logprobs = -1;    // alternatives reported with each token; -1: no probabilities
  std::string tenant = {};      // tenants with requests get equal shares of the machine
  std::string cache_salt = {};  // only requests with the same salt share cached prefixes
  int32_t priority = 0;         // higher ones are served first
};

struct TokenOutput {
  int32_t choice = 0;
  int32_t id = 0;
  float logprob = 0;                       // if the request asked for them
  std::span<const TokenLogprob> top = {};  // likeliest first; valid during the call
};

enum class ChoiceEnd { kEndToken, kMaxTokens, kContextFull, kListener, kCancelled, kError };
std::string_view Name(ChoiceEnd end);

// What a request took, for usage, logs and metrics.
struct RequestSummary {
  RequestId id = 0;
  int64_t prompt_tokens = 0;
  int64_t cached_tokens = 0;     // of the prompt, taken from the cache
  std::string cache_end = {};    // why not more of them: "the cache has no longer prefix", ...
  int64_t generated_tokens = 0;  // over all choices, end tokens included
  int64_t drafted_tokens = 0;
  int64_t accepted_tokens = 0;
  int64_t prompt_chunks = 0;  // calls that ran a part of the prompt
  int64_t preemptions = 0;
  double queue_ms = 0;    // until its first call began, and again after each preemption
  double prefill_ms = 0;  // from its first call to its first token
  double decode_ms = 0;   // from its first token to its last
};

// Receives what becomes of one request. Called on the runner's thread between two calls of the
// model, so it must neither wait nor work for long: what it does delays everybody's next token.
class RequestListener {
 public:
  virtual ~RequestListener() = default;
  // The request has left the queue; its first call comes next.
  virtual void OnAdmitted(const RequestSummary& summary) = 0;
  // A token was added to a choice; an end token is not reported. Returning false ends the choice
  // with kListener (a stop string was found).
  virtual bool OnToken(const TokenOutput& token) = 0;
  virtual void OnChoiceEnd(int32_t choice, ChoiceEnd end) = 0;
  // All tokens that one call of the model made for this request were reported: time to write.
  virtual void OnStepEnd() = 0;
  // The last call. Not OK if the request failed; kCancelled if it was cancelled.
  virtual void OnEnd(const RequestSummary& summary, const absl::Status& status) = 0;
};

}  // namespace infer
