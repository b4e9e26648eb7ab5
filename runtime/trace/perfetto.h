// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "runtime/trace/trace_encoder.h"

namespace infer {

// Perfetto's protobuf format; perfetto.proto has the fields. Strings are written once and named by
// number.
std::unique_ptr<TraceEncoder> MakePerfettoEncoder();

}  // namespace infer
