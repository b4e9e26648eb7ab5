// SPDX-License-Identifier: Apache-2.0
#include "tools/trace/call_tracer.h"

#include <algorithm>
#include <utility>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/graph/node_name.h"
#include "ir/graph/placement.h"
#include "ir/graph/plan.h"
#include "runtime/profile.h"
#include "tools/report/program_view.h"

namespace infer {
namespace {

constexpr int kCallLabel = 0;
enum Counter { kTokens, kKvBytes };

SliceLabel StepLabel(const TracedStep& step, const SymbolValues& symbols) {
  const Node& node = *step.node;
  SliceLabel label;
  label.name = step.name;
  label.category = Name(step.copy ? TargetsOn(step.device)[0] : node.placement()->target);
  if (step.layer) label.fields.push_back({"layer", *step.layer});
  label.fields.push_back({"scope", NodeName(node)});
  if (step.copy != nullptr) {
    label.fields.push_back({"op", std::string("copy")});
    label.fields.push_back({"copies", CopiedAt(step, symbols)});
    label.fields.push_back({"direction", DirectionText(*step.copy)});
    label.fields.push_back({"step", int64_t{step.number}});
    label.fields.push_back({"node", IdText(step.id)});
    return label;
  }
  label.fields.push_back({"op", std::string(node.op().name)});
  label.fields.push_back({"inputs", InputsAt(node, symbols)});
  label.fields.push_back({"results", ResultsAt(node, symbols)});
  label.fields.push_back({"kernel", node.placement()->kernel});
  label.fields.push_back({"mode", std::string(Name(step.mode))});
  label.fields.push_back({"step", int64_t{step.number}});
  label.fields.push_back({"node", IdText(step.id)});
  return label;
}

SliceLabel WaitLabel(const TracedStep& step) {
  SliceLabel label{.name = "wait", .category = "wait", .fields = {{"after", step.name}}};
  if (step.layer) label.fields.push_back({"layer", *step.layer});
  label.fields.push_back({"step", int64_t{step.number}});
  label.fields.push_back({"node", IdText(step.id)});
  return label;
}

// Returns which of the threads ran a serial step: the first of a team, or any if tasks are stolen.
int BusiestThread(const StepEvents& events, int32_t step, int begin, int end) {
  int busiest = begin;
  for (int i = begin + 1; i < end; ++i) {
    if (events.thread(i)[step].busy_ns() > events.thread(busiest)[step].busy_ns()) busiest = i;
  }
  return busiest;
}

}  // namespace

CallTracer::CallTracer(const Program& program, std::span<const int> rank_threads,
                       std::vector<TraceField> facts, std::unique_ptr<TraceEncoder> encoder,
                       Write write, size_t max_kept_bytes)
    : program_(program),
      encoder_(std::move(encoder)),
      write_(std::move(write)),
      max_kept_bytes_(max_kept_bytes),
      kv_bytes_per_position_(KvBytesPerPosition(program)) {
  TraceHeader header{.process = "infer",
                     .threads = {},
                     .counters = {{"tokens", false}, {"KV cache", true}},
                     .facts = std::move(facts)};
  for (size_t rank = 0; rank < rank_threads.size(); ++rank) {
    const std::string of_rank = rank_threads.size() == 1 ? "" : StrCat("rank ", rank, " ");
    const int begin = static_cast<int>(header.threads.size());
    ranks_.push_back({begin, begin + rank_threads[rank]});
    for (int i = 0; i < rank_threads[rank]; ++i) {
      header.threads.push_back(StrCat(of_rank, "thread ", i));
    }
  }
  const size_t threads = header.threads.size();
  int label = kCallLabel + 1;
  for (const Regime& regime : program.regimes) {
    RegimeSteps& steps = regimes_.emplace_back();
    steps.steps = TracedSteps(regime);
    steps.first_label = label;
    label += 2 * static_cast<int>(steps.steps.size());
    for (const TracedStep& step : steps.steps) {
      if (step.is_queued)
        queues_.try_emplace(step.device, static_cast<int>(threads + queues_.size()));
    }
  }
  header.threads.resize(threads + queues_.size());
  for (const auto& [device, track] : queues_) {
    header.threads[static_cast<size_t>(track)] = StrCat("queue of ", Name(device));
  }
  encoder_->Begin(header, &buffer_);
}

void CallTracer::DescribeSteps(const RecordedCall& call, RegimeSteps* regime) {
  const SymbolValues& now = call.symbols;
  SymbolValues& before = regime->described;
  const bool first = before.t == 0;
  const bool other_tokens = now.t != before.t || now.r != before.r;
  const bool other_context = now.s != before.s;
  for (size_t i = 0; i < regime->steps.size(); ++i) {
    const TracedStep& step = regime->steps[i];
    const int label = regime->first_label + 2 * static_cast<int>(i);
    if (first) encoder_->Describe(label + 1, WaitLabel(step), &buffer_);
    if (first || (other_tokens && step.uses_tokens) || (other_context && step.uses_context)) {
      encoder_->Describe(label, StepLabel(step, now), &buffer_);
    }
  }
  before = now;
}

void CallTracer::DescribeCall(const RecordedCall& call) {
  const Regime& regime = program_.regimes[call.regime];
  SliceLabel label;
  label.name = StrCat("call T=", call.symbols.t);
  label.category = "call";
  label.fields = {
      {"call", calls_},
      {"T", call.symbols.t},
      {"R", call.symbols.r},
      {"S", call.symbols.s},
      {"regime", StrCat("T ", regime.min_tokens, "..", regime.max_tokens)},
  };
  encoder_->Describe(kCallLabel, label, &buffer_);
}

void CallTracer::AppendSlice(int thread, int label, int64_t start_ns, int64_t end_ns,
                             int64_t inner_wait_ns) {
  encoder_->BeginSlice(thread, label, start_ns - origin_ns_, end_ns - origin_ns_, inner_wait_ns,
                       &buffer_);
  encoder_->EndSlice(thread, end_ns - origin_ns_, &buffer_);
}

void CallTracer::AppendThread(const RecordedCall& call, const RegimeSteps& regime, RankThreads rank,
                              int thread) {
  const std::span<const StepEvent> events = call.events->thread(thread);
  for (size_t i = 0; i < regime.steps.size(); ++i) {
    const TracedStep& step = regime.steps[i];
    const StepEvent& event = events[step.number];
    if (event.start_ns == 0 || step.is_queued) continue;
    const int label = regime.first_label + 2 * static_cast<int>(i);
    const bool takes_part =
        step.mode != StepMode::kSerial ||
        BusiestThread(*call.events, step.number, rank.begin, rank.end) == thread;
    if (takes_part) AppendSlice(thread, label, event.start_ns, event.end_ns, event.inner_wait_ns);
    const int64_t wait_start_ns = takes_part ? event.end_ns : event.start_ns;
    // Without a barrier behind the step the other threads continue at once.
    if (event.wait_end_ns > event.end_ns) {
      AppendSlice(thread, label + 1, wait_start_ns, event.wait_end_ns, 0);
    }
  }
}

// The steps of a queue are recorded as thread 0's and overlap with what that thread does meanwhile.
void CallTracer::AppendQueues(const RecordedCall& call, const RegimeSteps& regime) {
  for (size_t i = 0; i < regime.steps.size(); ++i) {
    const TracedStep& step = regime.steps[i];
    const StepEvent& event = call.events->thread(0)[step.number];
    if (event.start_ns == 0 || !step.is_queued) continue;
    AppendSlice(queues_.at(step.device), regime.first_label + 2 * static_cast<int>(i),
                event.start_ns, event.end_ns, 0);
  }
}

void CallTracer::AfterCall(const RecordedCall& call) {
  if (!status_.ok()) return;
  kept_.push_back({call, *call.events});
  kept_bytes_ += call.events->thread(0).size_bytes() * call.events->threads();
  if (kept_bytes_ >= max_kept_bytes_) EncodeKept();
}

void CallTracer::EncodeKept() {
  for (KeptCall& kept : kept_) {
    if (!status_.ok()) break;
    kept.call.events = &kept.events;
    Encode(kept.call);
    Flush();
  }
  kept_.clear();
  kept_bytes_ = 0;
}

void CallTracer::Encode(const RecordedCall& call) {
  if (calls_++ == 0) origin_ns_ = call.start_ns;
  const int64_t start_ns = call.start_ns - origin_ns_;
  const int64_t end_ns = call.end_ns - origin_ns_;
  RegimeSteps& regime = regimes_[call.regime];
  DescribeSteps(call, &regime);
  DescribeCall(call);
  encoder_->Count(kTokens, start_ns, tokens_, &buffer_);
  encoder_->Count(kKvBytes, start_ns, (call.symbols.s - call.symbols.t) * kv_bytes_per_position_,
                  &buffer_);
  encoder_->BeginSlice(0, kCallLabel, start_ns, end_ns, 0, &buffer_);
  AppendThread(call, regime, ranks_[0], 0);
  encoder_->EndSlice(0, end_ns, &buffer_);
  for (const RankThreads& rank : ranks_) {
    for (int i = std::max(1, rank.begin); i < rank.end; ++i) AppendThread(call, regime, rank, i);
  }
  AppendQueues(call, regime);
  tokens_ += call.symbols.t;
  encoder_->Count(kTokens, end_ns, tokens_, &buffer_);
  encoder_->Count(kKvBytes, end_ns, call.symbols.s * kv_bytes_per_position_, &buffer_);
}

void CallTracer::Flush() {
  if (status_.ok()) status_ = write_(buffer_);
  buffer_.clear();
}

absl::Status CallTracer::Finish() {
  EncodeKept();
  encoder_->End(&buffer_);
  Flush();
  return status_;
}

}  // namespace infer
