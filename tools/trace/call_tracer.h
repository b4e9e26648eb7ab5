// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "ir/program/program.h"
#include "runtime/step_recorder.h"
#include "runtime/trace/trace_encoder.h"
#include "tools/trace/traced_steps.h"

namespace infer {

// Writes what the threads did in each call: a slice for the call on thread 0, one for each step on
// each thread that takes part in it, one for each wait at a barrier, and counters. During the run
// events are only stored, since encoding a call costs more than recording it. They are encoded at
// the end, or between two calls when they reach kMaxKeptBytes.
class CallTracer : public CallObserver {
 public:
  using Write = std::function<absl::Status(std::string_view bytes)>;

  // Events of 4000 calls with 255 steps on two threads, which is a 0.6B model.
  static constexpr size_t kMaxKeptBytes = size_t{64} << 20;

  // `program` must outlive it. `rank_threads` is the number of threads, of each rank if the model
  // is divided. `facts` describe the whole run and are written once.
  CallTracer(const Program& program, std::span<const int> rank_threads,
             std::vector<TraceField> facts, std::unique_ptr<TraceEncoder> encoder, Write write,
             size_t max_kept_bytes = kMaxKeptBytes);

  // Traces nothing more after a failed write.
  void AfterCall(const RecordedCall& call) override;

  // Completes the document. Returns the first failed write, if any.
  absl::Status Finish();

 private:
  struct KeptCall {
    RecordedCall call;
    StepEvents events;
  };
  // The threads of a rank; of all if the model is not divided.
  struct RankThreads {
    int begin = 0;
    int end = 0;
  };
  struct RegimeSteps {
    std::vector<TracedStep> steps;
    int first_label = 0;  // two labels for each step: the step, and the wait behind it
    SymbolValues described = {0, 0, 0};
  };

  void EncodeKept();
  void Encode(const RecordedCall& call);
  void DescribeSteps(const RecordedCall& call, RegimeSteps* regime);
  void DescribeCall(const RecordedCall& call);
  void AppendThread(const RecordedCall& call, const RegimeSteps& regime, RankThreads rank,
                    int thread);
  void AppendQueues(const RecordedCall& call, const RegimeSteps& regime);
  void AppendSlice(int thread, int label, int64_t start_ns, int64_t end_ns, int64_t inner_wait_ns);
  void Flush();

  const Program& program_;
  std::unique_ptr<TraceEncoder> encoder_;
  Write write_;
  size_t max_kept_bytes_;
  size_t kept_bytes_ = 0;
  std::vector<KeptCall> kept_;
  std::vector<RegimeSteps> regimes_;
  std::vector<RankThreads> ranks_;
  std::map<Device, int> queues_;  // tracks of devices that run beside the CPU
  int64_t kv_bytes_per_position_;
  int64_t origin_ns_ = 0;  // start of the first call
  int64_t calls_ = 0;
  int64_t tokens_ = 0;
  std::string buffer_;
  absl::Status status_;
};

}  // namespace infer
