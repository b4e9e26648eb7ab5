// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/compare.h"

#include <filesystem>

#include "absl/strings/str_format.h"
#include "ir/base/json.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "tools/api/input.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/flag_text.h"

namespace infer {
namespace {

constexpr uint64_t kMaxBaseBytes = uint64_t{64} << 20;

// Returns the key by which two records are the same test. The folder of the model does not count.
std::string KeyOf(const Json& record) {
  std::string key = std::filesystem::path(record.value("model_filename", "")).filename().string();
  for (const char* field : {"policy", "type_k"}) StrAppend(&key, "|", record.value(field, ""));
  for (const char* field : {"n_ubatch", "n_threads", "n_prompt", "n_gen", "n_depth"}) {
    StrAppend(&key, "|", record.value(field, int64_t{-1}));
  }
  return key;
}

// Accepts an array, or one object per line.
Json ParseRecords(const std::string& text) {
  Json whole = ParseJson(text);
  if (whole.is_array()) return whole;
  Json records = Json::array();
  for (const std::string& line : SplitWords(text, '\n')) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    records.push_back(ParseJson(line));
  }
  return records;
}

// Checked here because value() throws for a field of another type.
bool IsRecord(const Json& record) {
  if (!record.is_object()) return false;
  for (const char* field : {"model_filename", "policy", "type_k"}) {
    if (record.contains(field) && !record[field].is_string()) return false;
  }
  for (const char* field : {"n_ubatch", "n_threads", "n_prompt", "n_gen", "n_depth"}) {
    if (!record.contains(field) || !record[field].is_number_integer()) return false;
  }
  return record.contains("avg_ts") && record["avg_ts"].is_number();
}

}  // namespace

absl::StatusOr<BenchBase> BenchBase::Read(const std::string& path) {
  ASSIGN_OR_RETURN(std::string text, ReadInput(path, kMaxBaseBytes));
  BenchBase base;
  base.path_ = path;
  for (const Json& record : ParseRecords(text)) {
    if (!IsRecord(record)) {
      return absl::InvalidArgumentError(
          StrCat(path, ": record ", base.entries_.size() + 1,
                 " is not a record of infer-bench; write the file with infer-bench -o json"));
    }
    base.entries_.push_back({KeyOf(record), record["avg_ts"].get<double>()});
  }
  return base;
}

absl::Status BenchBase::Compare(std::span<const BenchRecord> records, double threshold,
                                std::string* report) const {
  int compared = 0;
  std::string slower;
  for (const BenchRecord& record : records) {
    const std::string key = KeyOf(ToJson(record));
    const Entry* found = nullptr;
    for (const Entry& entry : entries_) {
      if (entry.key == key) found = &entry;
    }
    if (found == nullptr) {
      absl::StrAppendFormat(report, "%s %s: not in %s\n", record.policy, record.TestName(), path_);
      continue;
    }
    ++compared;
    const double ratio = record.MeanTs() / found->tokens_per_s;
    absl::StrAppendFormat(report, "%s %s: %.2f t/s, was %.2f (%+.1f%%)\n", record.policy,
                          record.TestName(), record.MeanTs(), found->tokens_per_s,
                          100 * (ratio - 1));
    if (ratio >= 1 - threshold) continue;
    StrAppend(&slower, slower.empty() ? "" : ", ", record.policy, " ", record.TestName(),
              absl::StrFormat(" by %.1f%%", 100 * (1 - ratio)));
  }
  if (compared == 0) {
    return absl::InvalidArgumentError(
        StrCat(path_, ": contains none of the tests that were run; measure the base with the same ",
               "flags"));
  }
  if (slower.empty()) return absl::OkStatus();
  return VerificationFailed(StrCat("slower than ", path_, " by more than ",
                                   absl::StrFormat("%g%%", 100 * threshold), ": ", slower));
}

}  // namespace infer
