// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/program/program.h"
#include "runtime/step_recorder.h"
#include "tools/trace/traced_steps.h"

namespace infer {

// Each call as lines of text, indented by scope:
//
//   [call 1] (T=5, R=1, S=5) 12.345ms
//   -> [simd] [embed] (i32[5], q8_0[512,64]) 3.2us
//   -> [layer.0] 812.1us
//   -> -> [attn] 400.0us
//   -> -> -> [parallel] [linear] q_proj (f32[5,64], q8_0[64,64]) 83.1us
//
// A step's time is that of thread 0, with its wait for the others.
class StepLog : public CallObserver {
 public:
  using Print = std::function<void(std::string_view lines)>;

  // `program` must outlive it; `print` receives one call at a time, without the final newline.
  StepLog(const Program& program, Print print);

  void AfterCall(const RecordedCall& call) override;

 private:
  std::vector<std::vector<TracedStep>> regimes_;
  Print print_;
  int64_t calls_ = 0;
};

}  // namespace infer
