// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/bench/serve/lengths.h"
#include "tools/bench/serve/prompt_maker.h"
#include "tools/bench/serve/request_text.h"

namespace infer::load {

// The kinds of requests a run consists of.
struct Mix {
  Lengths prompt_tokens;
  Lengths output_tokens;
  int64_t prefix_tokens = 0;  // shared by several prompts, in addition to prompt_tokens
  double prefix_share = 1;    // of the requests that have such a prefix
  int64_t prefixes = 1;       // different ones
  double cancel_share = 0;    // of the requests whose client leaves at a random moment
  double bad_share = 0;       // of the requests that are malformed
  int64_t intruder_tokens = 0;
  int64_t intruder_output_tokens = 8;
};

enum class RequestKind { kNormal, kCancelled, kMalformed, kIntruder };

struct RequestSpec {
  RequestKind kind = RequestKind::kNormal;
  int64_t index = 0;
  std::string message = {};  // the bytes to send
  int64_t output_tokens = 0;
  double leave_at = 1;  // kCancelled: share of the answer after which the client leaves
  bool reset = false;   // kCancelled: leaves without TCP's farewell
};

// Makes the requests of one round. The i-th request is the same whatever became of those before, so
// two servers get the same requests.
class RequestSource {
 public:
  RequestSource(const ServerUrl& url, RequestForm form, const Mix& mix, PromptMaker maker,
                uint64_t seed, uint64_t round);

  RequestSpec Make(int64_t index) const;
  // Makes a request with the long prompt of an intruder.
  RequestSpec MakeIntruder(int64_t index) const;

 private:
  std::string Prompt(int64_t tokens, Random& random) const;

  ServerUrl url_;
  RequestForm form_;
  Mix mix_;
  PromptMaker maker_;
  uint64_t seed_;
  uint64_t round_;
  std::vector<std::string> prefixes_;
};

}  // namespace infer::load
