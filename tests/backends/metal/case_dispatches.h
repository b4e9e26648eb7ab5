// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "backends/metal/device_classes.h"
#include "backends/metal/dispatch.h"
#include "shaders/args.h"
#include "tests/backends/metal/case_memory.h"

namespace infer::metal {

// nullptr, and a failure of the running test, if the table has no such kernel.
const MetalKernel* FindKernel(std::string_view name);

// What a kernel plans for a conformance case on a device of some class, and the pipelines that it
// needs while the symbols are in their ranges.
class CaseDispatches {
 public:
  CaseDispatches(const conformance::ConformanceCase& c, std::string_view kernel,
                 const DeviceClass& device = FindDeviceClass(""), const SymbolRanges& symbols = {});

  const std::vector<Dispatch>& dispatches() const { return dispatches_; }
  const Dispatch& only() const;
  const std::vector<PipelineKey>& pipelines() const { return pipelines_; }
  const KernelArgs& args() const { return memory_->args(); }
  const DeviceBatch& batch() const { return batch_; }

 private:
  Graph graph_;
  std::optional<conformance::CaseData> data_;
  std::optional<CaseMemory> memory_;
  std::vector<shader::SequenceArgs> sequences_;
  std::vector<int32_t> tables_;
  DeviceBatch batch_;
  std::shared_ptr<const void> constants_;
  std::vector<Dispatch> dispatches_;
  std::vector<PipelineKey> pipelines_;
};

// The argument struct of a dispatch.
template <class Args>
Args ArgumentsOf(const Dispatch& dispatch) {
  Args args = {};
  std::memcpy(&args, dispatch.arguments.data(), std::min(sizeof args, dispatch.arguments.size()));
  return args;
}

}  // namespace infer::metal
