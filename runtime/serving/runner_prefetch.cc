// SPDX-License-Identifier: Apache-2.0
//
// Prefixes that are computed while nobody asks for anything.
#include <utility>

#include "runtime/serving/check_request.h"
#include "runtime/serving/runner_loop.h"

namespace infer {

void RequestRunner::Loop::StartPrefetch() {
  while (prefetch_ == nullptr && !prefetches_.empty()) {
    PrefixToPrefetch prefix = std::move(prefetches_.front());
    prefetches_.pop_front();
    if (!options_.share_prefixes || !CheckPrompt(prefix.tokens, *engine_).ok()) continue;
    const int64_t cached = running_.CachedTokens(prefix.cache_salt, prefix.tokens);
    if (cached >= std::ssize(prefix.tokens) - 1) continue;
    TokenRequest request = {.prompt = std::move(prefix.tokens), .max_tokens = 0};
    request.cache_salt = std::move(prefix.cache_salt);
    prefetch_ = std::make_unique<ActiveRequest>(0, engine_.get(), std::move(request), nullptr);
    TextStream* stream = prefetch_->streams()[0].get();
    if (!running_.Admit(prefetch_.get(), stream) || !stream->Start(nullptr).ok()) StopPrefetch();
  }
}

// What it has computed stays in the prefix tree; the rest is taken up again in the next idle time.
void RequestRunner::Loop::StopPrefetch() {
  if (prefetch_ == nullptr) return;
  TextStream* stream = prefetch_->streams()[0].get();
  if (stream != nullptr) {
    const bool is_done = stream->held() == std::ssize(stream->text());
    running_.Release(stream);
    if (!is_done) {
      prefetches_.push_front({prefetch_->request().prompt, prefetch_->request().cache_salt});
    }
  }
  ended_.push_back(std::move(prefetch_));
}

}  // namespace infer
