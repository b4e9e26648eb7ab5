// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "absl/status/statusor.h"
#include "runtime/trace/trace_encoder.h"

namespace infer {

// Returns the encoder for the file's name: .pftrace or .perfetto-trace, or .json. Returns a usage
// error for other names and for stdout, which carries the text.
absl::StatusOr<std::unique_ptr<TraceEncoder>> MakeTraceEncoder(std::string_view path);

}  // namespace infer
