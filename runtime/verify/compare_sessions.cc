// SPDX-License-Identifier: Apache-2.0
#include "runtime/verify/compare_sessions.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

// Removes the observer on destruction, because it lives only as long as the comparison.
class ObservedSession {
 public:
  ObservedSession(Session* session, StepObserver* observer) : session_(session) {
    session_->SetObserver(observer);
  }
  ObservedSession(const ObservedSession&) = delete;
  ObservedSession& operator=(const ObservedSession&) = delete;
  ~ObservedSession() { session_->SetObserver(nullptr); }

 private:
  Session* session_;
};

int32_t Likeliest(std::span<const float> logits) {
  return static_cast<int32_t>(std::ranges::max_element(logits) - logits.begin());
}

}  // namespace

absl::StatusOr<RunComparison> CompareSessions(const VerifiedSession& tested,
                                              const VerifiedSession& expected,
                                              std::span<const int32_t> prompt,
                                              const CompareOptions& options) {
  ValueLog log(*expected.registry);
  ValueComparer comparer(*tested.registry, log, options.tolerance);
  ObservedSession observe_expected(expected.session, &log);
  ObservedSession observe_tested(tested.session, &comparer);
  const int64_t chunk = std::min(tested.session->max_chunk(), expected.session->max_chunk());
  const int64_t context = std::min(tested.session->context(), expected.session->context());
  const int64_t length = std::ssize(prompt);
  const int64_t room = std::max<int64_t>(context - length, 0);
  const int64_t total = length + std::min<int64_t>(options.decode_tokens, room);
  std::vector<int32_t> tokens(prompt.begin(), prompt.end());
  // Extending the prefix by one chunk makes exactly one call.
  for (int64_t done = 0; done < total;) {
    if (options.progress) options.progress(done, total);
    const bool decodes = done >= length;
    if (decodes) tokens.push_back(Likeliest(expected.session->logits()));
    const int64_t end = decodes ? done + 1 : std::min(done + chunk, length);
    const std::span<const int32_t> prefix = std::span(tokens).first(static_cast<size_t>(end));
    log.Clear();
    RETURN_IF_ERROR(expected.session->Prefill(prefix, options.stop));
    comparer.Begin(decodes ? StrCat("decode of token ", done)
                           : StrCat("prefill of tokens ", done, "..", end - 1));
    RETURN_IF_ERROR(tested.session->Prefill(prefix, options.stop));
    done = end;
  }
  if (options.progress) options.progress(total, total);
  return comparer.comparison();
}

}  // namespace infer
