// SPDX-License-Identifier: Apache-2.0
#include "runtime/call_timeline.h"

namespace infer {

CallTimeline TimelineOf(const RecordedCall& call, std::span<const int32_t> steps) {
  CallTimeline timeline{call.symbols.t, call.symbols.r, call.symbols.s, call.end_ns - call.start_ns,
                        std::vector<std::vector<TimelineEvent>>(call.events->threads())};
  for (int i = 0; i < call.events->threads(); ++i) {
    for (int32_t step : steps) {
      const StepEvent& event = call.events->thread(i)[step];
      TimelineEvent& made = timeline.threads[i].emplace_back();
      if (event.start_ns == 0) continue;
      made = {event.start_ns - call.start_ns, event.end_ns - call.start_ns,
              event.wait_end_ns - call.start_ns, event.inner_wait_ns};
    }
  }
  return timeline;
}

}  // namespace infer
