// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <utility>

#include "ir/base/status_macros.h"
#include "runtime/call_context.h"
#include "runtime/executable.h"
#include "runtime/executor.h"

namespace infer::test {

// A Program together with everything needed to run it.
class LoadedProgram {
 public:
  // The arguments must outlive the result.
  static absl::StatusOr<std::unique_ptr<LoadedProgram>> Create(
      Program program, const WeightSource& weights, const KernelRegistry& registry,
      std::span<const KvView> states = {}) {
    auto loaded = std::make_unique<LoadedProgram>();
    ASSIGN_OR_RETURN(loaded->executable_,
                     Executable::CreateAlone(std::move(program), weights, registry));
    ASSIGN_OR_RETURN(loaded->context_, CallContext::Create(*loaded->executable_, states));
    loaded->executor_ =
        std::make_unique<Executor>(loaded->executable_.get(), loaded->context_.get());
    return loaded;
  }

  const Executable& executable() const { return *executable_; }
  CallContext& context() { return *context_; }
  Executor& executor() { return *executor_; }
  const Executor& executor() const { return *executor_; }

 private:
  std::shared_ptr<const Executable> executable_;
  std::unique_ptr<CallContext> context_;
  std::unique_ptr<Executor> executor_;
};

}  // namespace infer::test
