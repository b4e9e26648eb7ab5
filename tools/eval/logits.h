// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>

#include "absl/status/status.h"
#include "runtime/session.h"

namespace infer {

// Runs `ids` from an empty cache and passes the requested rows to the sink, in order and some at a
// time: logits, or the session's first extra result if `hidden`. `columns` is the width of a row.
using RowSink = std::function<absl::Status(std::span<const float> rows, int64_t columns)>;
struct RowRequest {
  bool hidden = false;
  bool all_positions = false;  // else the row of the last position only
};
absl::Status CollectRows(Session& session, std::span<const int32_t> ids, const RowRequest& request,
                         const Session::PrefillProgress& progress, const std::atomic<bool>* stop,
                         const RowSink& sink);

}  // namespace infer
