// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace infer {

// The steps that the searches of several patterns may take together, and the first search that took
// too many. From then on every search ends at once and finds nothing, so a caller that runs many of
// them checks the status at its end. Thread-safe.
class RegexSteps {
 public:
  // Takes steps for a search; false if a search has failed before.
  bool Take(int64_t steps, std::string_view pattern);
  void Fail(std::string_view pattern, std::string_view why);

  // Returns kInvalidArgument if the search that took too many was for this pattern, else Ok.
  absl::Status StatusOf(std::string_view pattern) const;

 private:
  // A search that ends early takes kFewSteps of them, the longest that is allowed kMaxSteps; all of
  // them together take at most five seconds.
  std::atomic<int64_t> left_{50'000'000};
  std::atomic<bool> failed_{false};
  mutable std::mutex mutex_;  // guards the rest
  std::string pattern_;
  absl::Status status_;
};

// A regular expression to be found in names, compiled once and shared by its copies. Patterns come
// from files and command lines, so one that would backtrack endlessly is given up, which status()
// then says.
class NameRegex {
 public:
  NameRegex() = default;  // empty: found in every name
  // Its searches are counted in `steps`; null: by themselves.
  static absl::StatusOr<NameRegex> Compile(std::string_view text,
                                           std::shared_ptr<RegexSteps> steps = nullptr);

  const std::string& text() const { return text_; }
  bool empty() const { return text_.empty(); }
  // False if it is not found, and if the search was given up.
  bool FoundIn(std::string_view name) const;

  // Returns kInvalidArgument if a search for it was given up, else Ok.
  absl::Status status() const;

  bool operator==(const NameRegex& other) const { return text_ == other.text_; }

 private:
  struct Code;
  std::string text_;
  std::shared_ptr<const Code> code_;
};

}  // namespace infer
