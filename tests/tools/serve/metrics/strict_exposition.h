// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace infer::metrics {

// The samples of a page, by name and labels as they are written: `name{a="b"}`.
using Samples = std::map<std::string, double>;

// Reads Prometheus' text format and refuses what a lenient reader lets pass: a missing or repeated
// HELP or TYPE, samples of a metric that are not together, repeated samples, wrong names, label
// values that are not escaped or not UTF-8, counters not named _total, a histogram whose buckets do
// not ascend, lack +Inf or disagree with its count.
absl::StatusOr<Samples> ReadStrictly(std::string_view text);

}  // namespace infer::metrics
