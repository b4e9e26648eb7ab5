// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/calibrate/call_cost.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ir/base/status_macros.h"
#include "runtime/step_recorder.h"

namespace infer {
namespace {

constexpr int kCalls = 101;
constexpr int32_t kToken = 1;

// Keeps how long the steps of the last call took, from the first to the last.
class StepSpan : public CallObserver {
 public:
  void AfterCall(const RecordedCall& call) override {
    int64_t first = INT64_MAX, last = 0;
    for (int ith = 0; ith < call.events->threads(); ++ith) {
      for (const StepEvent& event : call.events->thread(ith)) {
        if (event.start_ns == 0) continue;
        first = std::min(first, event.start_ns);
        last = std::max(last, event.end_ns);
      }
    }
    ns_ = std::max<int64_t>(0, last - first);
  }
  int64_t ns() const { return ns_; }

 private:
  int64_t ns_ = 0;
};

}  // namespace

absl::StatusOr<double> MeasureCallNs(Session& session, int threads, const std::atomic<bool>* stop) {
  StepRecorder recorder(session.program(), threads);
  StepSpan span;
  recorder.Add(&span);
  session.SetRecorder(&recorder);
  std::vector<double> rest_ns;
  absl::Status status;
  for (int i = 0; i < kCalls && status.ok(); ++i) {
    session.Clear();
    const int64_t start = StepClockNs();
    status = session.Decode(kToken, stop);
    rest_ns.push_back(static_cast<double>(StepClockNs() - start - span.ns()));
  }
  session.SetRecorder(nullptr);
  RETURN_IF_ERROR(status);
  const auto middle = rest_ns.begin() + kCalls / 2;
  std::nth_element(rest_ns.begin(), middle, rest_ns.end());
  return std::max(0.0, *middle);
}

}  // namespace infer
