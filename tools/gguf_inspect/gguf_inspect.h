// SPDX-License-Identifier: Apache-2.0
//
// Produces what gguf-inspect prints, as text, JSON or CSV. Does not depend on the command line.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/statusor.h"

namespace infer {

enum class ReportFormat { kText, kJson, kCsv };

struct InspectOptions {
  std::string path;
  // What to show. If none is set: a summary, all metadata and all tensors.
  bool metadata = false;
  bool tensors = false;
  bool tokenizer = false;
  bool chat_template = false;  // the template itself, unchanged
  std::string key;             // only the value of this key, in full; overrides the choices above
  std::string grep;            // only keys, tensors and tokens that this PCRE2 pattern matches
  ReportFormat format = ReportFormat::kText;
};
absl::StatusOr<std::string> InspectGguf(const InspectOptions& options);

// Called with the bytes read so far and the total, at most once per tensor.
using InspectProgress = std::function<void(uint64_t done_bytes, uint64_t total_bytes)>;

struct VerifyOptions {
  std::string path;
  ReportFormat format = ReportFormat::kText;
  InspectProgress progress;  // may be empty
};
// Checks the structure and looks for NaN and infinity. Returns the report if everything is valid,
// otherwise an error that names the first defect.
absl::StatusOr<std::string> VerifyGguf(const VerifyOptions& options);

struct HashOptions {
  std::string path;
  bool full = false;  // hash all bytes of each tensor instead of four pages
  ReportFormat format = ReportFormat::kText;
  InspectProgress progress;  // may be empty
};
absl::StatusOr<std::string> HashGguf(const HashOptions& options);

}  // namespace infer
