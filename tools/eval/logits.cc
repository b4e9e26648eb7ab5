// SPDX-License-Identifier: Apache-2.0
#include "tools/eval/logits.h"

#include <algorithm>

#include "ir/base/status_macros.h"

namespace infer {

absl::Status CollectRows(Session& session, std::span<const int32_t> ids, const RowRequest& request,
                         const Session::PrefillProgress& progress, const std::atomic<bool>* stop,
                         const RowSink& sink) {
  session.Clear();
  int64_t total = static_cast<int64_t>(ids.size());
  for (int64_t begin = 0; begin < total; begin += session.max_chunk()) {
    int64_t count = std::min(session.max_chunk(), total - begin);
    RETURN_IF_ERROR(session.RunWithAllLogits(ids.subspan(begin, count), stop));
    const bool is_last = begin + count == total;
    const int64_t first = request.all_positions ? 0 : is_last ? count - 1 : count;
    if (request.hidden) {
      const std::span<const float> rows = session.extra_result(0);
      const int64_t columns = std::ssize(rows) / count;
      if (first < count) {
        RETURN_IF_ERROR(sink(rows.subspan(static_cast<size_t>(first * columns)), columns));
      }
    } else {
      for (int64_t row = first; row < count; ++row) {
        RETURN_IF_ERROR(sink(session.logits(row), session.vocabulary()));
      }
    }
    progress(begin + count, total);
  }
  return absl::OkStatus();
}

}  // namespace infer
