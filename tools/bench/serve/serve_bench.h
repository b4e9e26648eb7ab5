// SPDX-License-Identifier: Apache-2.0
//
// Measures a server under load, or two in turn.
#pragma once

#include "absl/status/status.h"
#include "tools/bench/bench_format.h"
#include "tools/bench/serve/serve_options.h"
#include "tools/cli/tool.h"

namespace infer::load {

// Implements `infer-bench serve`.
absl::Status ServeMain(const ServeOptions& options, BenchFormat format, ToolContext& context);

}  // namespace infer::load
