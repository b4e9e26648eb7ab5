// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "runtime/trace/trace_encoder.h"

namespace infer {

// Returns an encoder for the JSON object of Chrome's Trace Event Format, which chrome://tracing,
// Perfetto and Speedscope read: one line per event, times in microseconds with three decimals.
std::unique_ptr<TraceEncoder> MakeChromeJsonEncoder();

}  // namespace infer
