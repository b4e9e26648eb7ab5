// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "runtime/backend.h"
#include "runtime/kernel_registry.h"
#include "runtime/verify/value_log.h"

namespace infer {

// The element of a result with the largest deviation.
struct Deviation {
  std::string origin;
  const Node* node = nullptr;
  std::string call;     // "prefill of tokens 0..11", "decode of token 12"
  double relative = 0;  // to the row's largest expected element; infinite if only one is finite
  double tolerance = 0;
  Rounding rounding = Rounding::kFloat;
  int64_t row = 0;
  int64_t column = 0;
  float expected = 0;
  float found = 0;
};

// All results of one op by one kernel.
struct OpDeviation {
  int64_t compared = 0;
  int64_t beyond = 0;  // those whose deviation exceeds the tolerance
  Deviation worst;     // relative to the tolerance
};

// The result of comparing a run with a log of another one.
struct RunComparison {
  std::map<std::pair<std::string, std::string>, OpDeviation> ops;  // by op and kernel
  std::optional<Deviation> first;  // in execution order, beyond its tolerance
  int64_t calls = 0;
  int64_t compared = 0;   // results in all calls
  int64_t unmatched = 0;  // results whose origin the other run lacks or has in another shape
};

// Compares the results of a call with those in a log as they are computed.
class ValueComparer : public StepObserver {
 public:
  // `tolerance` applies to all results and overrides their rounding's. References must outlive it.
  ValueComparer(const KernelRegistry& registry, const ValueLog& expected,
                std::optional<double> tolerance)
      : registry_(registry), expected_(expected), tolerance_(tolerance) {}

  // Called before each call; `call` names it in the report.
  void Begin(std::string call);
  void AfterStep(const Node& node, const KernelArgs& args) override;

  const RunComparison& comparison() const { return comparison_; }

 private:
  Deviation Worst(const TensorView& view, const ValueLog::Entry& expected) const;

  const KernelRegistry& registry_;
  const ValueLog& expected_;
  std::optional<double> tolerance_;
  Rounding rounding_ = Rounding::kFloat;
  std::string call_;
  RunComparison comparison_;
};

}  // namespace infer
