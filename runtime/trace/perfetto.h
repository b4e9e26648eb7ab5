// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "runtime/trace/trace_encoder.h"

namespace infer {

// Returns an encoder for Perfetto's protobuf format; perfetto.proto has the fields. Each string is
// written once and then referenced by number.
std::unique_ptr<TraceEncoder> MakePerfettoEncoder();

}  // namespace infer
