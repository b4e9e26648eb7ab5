// SPDX-License-Identifier: Apache-2.0
#include "runtime/call_timeline.h"

namespace infer {

void FillTimeline(const RecordedCall& call, std::span<const int32_t> steps,
                  CallTimeline* timeline) {
  timeline->tokens = call.symbols.t;
  timeline->logit_rows = call.symbols.r;
  timeline->positions = call.symbols.s;
  timeline->wall_ns = call.end_ns - call.start_ns;
  timeline->threads.resize(call.events->threads());
  for (int i = 0; i < call.events->threads(); ++i) {
    timeline->threads[i].assign(steps.size(), {});
    for (size_t node = 0; node < steps.size(); ++node) {
      const StepEvent& event = call.events->thread(i)[steps[node]];
      if (event.start_ns == 0) continue;
      timeline->threads[i][node] = {event.start_ns - call.start_ns, event.end_ns - call.start_ns,
                                    event.wait_end_ns - call.start_ns, event.inner_wait_ns};
    }
  }
}

}  // namespace infer
