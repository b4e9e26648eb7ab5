// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "tools/bench/bench_record.h"

namespace infer {

// Rates of an earlier run, read from the output of -o json or -o jsonl.
class BenchBase {
 public:
  // Returns kInvalidArgument or kNotFound, naming the file, if it holds no such records.
  static absl::StatusOr<BenchBase> Read(const std::string& path);

  // Writes a line for each record to `report`. Returns VerificationFailed if one is slower than the
  // base by more than `threshold`, a fraction of the base, and kInvalidArgument if the base has no
  // record of the same test, so that nothing was compared.
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
