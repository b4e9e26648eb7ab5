// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "tools/bench/bench_record.h"

namespace infer {

// Rates of an earlier run, from what -o json or -o jsonl wrote.
class BenchBase {
 public:
  // kInvalidArgument or kNotFound, naming the file, if it holds no such records.
  static absl::StatusOr<BenchBase> Read(const std::string& path);

  // A line for each record on `report`, and VerificationFailed if one is slower than the base by
  // more than `threshold`, a share of the base. kInvalidArgument if no record of the base is of the
  // same test: nothing was compared then.
  absl::Status Compare(std::span<const BenchRecord> records, double threshold,
                       std::string* report) const;

 private:
  struct Entry {
    std::string key;
    double tokens_per_s = 0;
  };
  std::string path_;
  std::vector<Entry> entries_;
};

}  // namespace infer
