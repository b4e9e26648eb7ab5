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
    int64_t columns = session.vocabulary();
    std::span<const float> rows(session.logits(0).data(), static_cast<size_t>(count * columns));
    if (request.hidden) {
      rows = session.extra_result(0);
      columns = static_cast<int64_t>(rows.size()) / count;
    }
    bool last = begin + count == total;
    if (!request.all_positions) rows = rows.last(last ? static_cast<size_t>(columns) : 0);
    if (!rows.empty()) RETURN_IF_ERROR(sink(rows, columns));
    progress(begin + count, total);
  }
  return absl::OkStatus();
}

}  // namespace infer
