// SPDX-License-Identifier: Apache-2.0
#include "runtime/rank_events.h"

#include <algorithm>
#include <vector>

#include "ir/base/status_macros.h"
#include "ir/graph/plan.h"

namespace infer {
namespace {

struct RankCall {
  int64_t threads = 0;
  int64_t start_ns = 0;
  uint64_t steps = 0;
  uint64_t steps_hash = 0;
};

StepEvent Moved(StepEvent event, int64_t by_ns, int64_t end_ns) {
  if (event.start_ns == 0) return event;  // it did not run
  for (int64_t* time : {&event.start_ns, &event.end_ns, &event.wait_end_ns}) {
    *time = std::min(*time + by_ns, end_ns);
  }
  event.inner_wait_ns = std::min(event.inner_wait_ns, event.end_ns - event.start_ns);
  return event;
}

}  // namespace

absl::StatusOr<bool> GatherEvents(Collective& transport, int threads, uint64_t steps_hash,
                                  CallTimes call, StepEvents* events) {
  const size_t steps = events->thread(0).size();
  const RankCall own = {threads, call.start_ns, steps, steps_hash};
  std::vector<RankCall> calls(static_cast<size_t>(transport.ranks()));
  RETURN_IF_ERROR(transport.AllGather(std::as_bytes(std::span(&own, 1)),
                                      reinterpret_cast<std::byte*>(calls.data())));
  const bool same = std::ranges::all_of(calls, [&](const RankCall& rank) {
    return rank.steps == own.steps && rank.steps_hash == own.steps_hash;
  });
  if (!same) return false;
  // Every rank sends as much as the one with the most threads.
  const auto most = static_cast<size_t>(std::ranges::max(calls, {}, &RankCall::threads).threads);
  std::vector<StepEvent> sent(most * steps), received(sent.size() * calls.size());
  for (int i = 0; i < threads; ++i) {
    std::ranges::copy(events->thread(i), sent.begin() + static_cast<int64_t>(i * steps));
  }
  RETURN_IF_ERROR(transport.AllGather(std::as_bytes(std::span(sent)),
                                      reinterpret_cast<std::byte*>(received.data())));
  int to = threads;
  for (size_t rank = 1; rank < calls.size() && transport.rank() == 0; ++rank) {
    const StepEvent* from = received.data() + rank * sent.size();
    for (int64_t i = 0; i < calls[rank].threads && to < events->threads(); ++i, ++to) {
      for (StepEvent& event : events->thread(to)) {
        event = Moved(*from++, call.start_ns - calls[rank].start_ns, call.end_ns);
      }
    }
  }
  return true;
}

}  // namespace infer
