// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/serve/request_source.h"

#include <utility>

namespace infer::load {
namespace {

// Streams of random numbers that must differ from those of the requests.
constexpr uint64_t kPrefixStream = uint64_t{1} << 62;
constexpr uint64_t kIntruderStream = uint64_t{1} << 63;

}  // namespace

RequestSource::RequestSource(const ServerUrl& url, RequestForm form, const Mix& mix,
                             PromptMaker maker, uint64_t seed, uint64_t round)
    : url_(url),
      form_(std::move(form)),
      mix_(mix),
      maker_(std::move(maker)),
      seed_(seed),
      round_(round) {
  if (mix_.prefix_tokens == 0) return;
  for (int64_t i = 0; i < mix_.prefixes; ++i) {
    Random random = RandomFor(seed_, round_, kPrefixStream + static_cast<uint64_t>(i));
    prefixes_.push_back(maker_.Prefix(mix_.prefix_tokens, random));
  }
}

std::string RequestSource::Prompt(int64_t tokens, Random& random) const {
  const bool shares = !prefixes_.empty() && random.NextUnit() < mix_.prefix_share;
  const std::string& prefix = shares ? prefixes_[random.Next() % prefixes_.size()] : std::string();
  return prefix + maker_.Text(tokens, random);
}

RequestSpec RequestSource::Make(int64_t index) const {
  Random random = RandomFor(seed_, round_, static_cast<uint64_t>(index));
  RequestSpec spec;
  spec.index = index;
  const double draw = random.NextUnit();
  if (draw < mix_.bad_share) {
    spec.kind = RequestKind::kMalformed;
    spec.message = MalformedText(url_, form_, random);
    return spec;
  }
  if (draw < mix_.bad_share + mix_.cancel_share) {
    spec.kind = RequestKind::kCancelled;
    spec.leave_at = random.NextUnit();
    spec.reset = random.NextUnit() < 0.5;
  }
  const int64_t prompt_tokens = mix_.prompt_tokens.Draw(random);
  spec.output_tokens = mix_.output_tokens.Draw(random);
  spec.message = CompletionText(url_, form_, Prompt(prompt_tokens, random), spec.output_tokens,
                                /*stream=*/true);
  return spec;
}

RequestSpec RequestSource::MakeIntruder(int64_t index) const {
  Random random = RandomFor(seed_, round_, kIntruderStream + static_cast<uint64_t>(index));
  RequestSpec spec;
  spec.kind = RequestKind::kIntruder;
  spec.index = index;
  spec.output_tokens = mix_.intruder_output_tokens;
  spec.message = CompletionText(url_, form_, maker_.Text(mix_.intruder_tokens, random),
                                spec.output_tokens, /*stream=*/true);
  return spec;
}

}  // namespace infer::load
