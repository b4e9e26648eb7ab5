// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/op_bench.h"

namespace infer {

absl::Status RunOpBench(const BenchOptions&, const KernelRegistry&, const OpBenchCallbacks&) {
  return absl::UnimplementedError(
      "infer-bench op: this build has no Google Benchmark; install libbenchmark-dev (Homebrew: "
      "google-benchmark) or run tools/install_deps.sh, then configure and build again");
}

}  // namespace infer
