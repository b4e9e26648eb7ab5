// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tools/bench/bench_format.h"
#include "tools/bench/serve/load_summary.h"
#include "tools/bench/serve/serve_options.h"

namespace infer::load {

// The rounds of one server.
struct ServerRuns {
  std::string url;
  std::vector<RunResult> runs;
};

// Mean of some numbers and how far they lie apart.
struct Spread {
  double mean = 0;
  double low = 0;
  double high = 0;
};
Spread SpreadOf(std::span<const double> values);

// Returns the rates of the first server over those of the second, round by round.
Spread RatioOf(const ServerRuns& first, const ServerRuns& second);

// Returns the whole report: a table of all rounds together in md, a record for each server and
// round otherwise.
std::string ServeReport(const std::vector<ServerRuns>& servers, const ServeOptions& options,
                        BenchFormat format);

// Returns a header and a line of CSV for each request.
std::string RequestsCsv(const std::vector<ServerRuns>& servers);

}  // namespace infer::load
