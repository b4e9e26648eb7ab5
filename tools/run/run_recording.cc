// SPDX-License-Identifier: Apache-2.0
#include "tools/run/run_recording.h"

#include <string_view>
#include <utility>

#include "ir/base/status_macros.h"
#include "tools/api/device_lines.h"
#include "tools/api/process_ranks.h"
#include "tools/report/program_view.h"
#include "tools/trace/trace_file.h"

namespace infer {

absl::StatusOr<std::unique_ptr<RunRecording>> RunRecording::Start(const RunOptions& options,
                                                                  const ThreadChoice& threads,
                                                                  const KernelRegistry& registry,
                                                                  Session* session,
                                                                  ToolContext* context) {
  const bool profiles = !options.profile.empty() || options.dump_profile;
  const bool logs = context->console().shows_trace();
  if (!profiles && options.trace.empty() && !logs) return nullptr;
  std::vector<int> rank_threads = RankThreads();
  if (rank_threads.empty()) rank_threads = {threads.team.threads};
  auto recording = std::unique_ptr<RunRecording>(
      new RunRecording(std::move(rank_threads), registry, session, &context->console()));
  if (profiles) {
    ASSIGN_OR_RETURN(
        recording->profile_,
        RunProfile::Start(options, threads, recording->rank_threads_, session->program(), registry,
                          &recording->recorder_, context));
  }
  if (!options.trace.empty())
    RETURN_IF_ERROR(recording->StartTrace(options, threads, registry, context));
  if (logs) {
    recording->log_ = std::make_unique<StepLog>(
        session->program(), [context](std::string_view lines) { context->console().Trace(lines); });
    recording->recorder_.Add(recording->log_.get());
  }
  return recording;
}

RunRecording::RunRecording(std::vector<int> rank_threads, const KernelRegistry& registry,
                           Session* session, Console* console)
    : session_(session),
      console_(console),
      rank_threads_(std::move(rank_threads)),
      recorder_(session->program(), rank_threads_, registry.collective()) {
  session_->SetRecorder(&recorder_);
}

RunRecording::~RunRecording() { session_->SetRecorder(nullptr); }

absl::Status RunRecording::StartTrace(const RunOptions& options, const ThreadChoice& threads,
                                      const KernelRegistry& registry, ToolContext* context) {
  const Program& program = session_->program();
  ASSIGN_OR_RETURN(std::unique_ptr<TraceEncoder> encoder, MakeTraceEncoder(options.trace));
  ASSIGN_OR_RETURN(trace_file_, context->OpenOutput(options.trace));
  std::vector<TraceField> facts = {
      {"schema", "infer-trace"},           {"schema_version", int64_t{1}},
      {"model", ModelText(program.model)}, {"program", IdText(ProgramKey(program))},
      {"policy", program.policy.name},     {"threads", int64_t{threads.team.threads}},
      {"threads_by", NameOf(threads.by)},
  };
  for (std::string& line : DeviceLines(program, registry)) {
    facts.push_back({"device", std::move(line)});
  }
  tracer_ = std::make_unique<CallTracer>(
      program, rank_threads_, std::move(facts), std::move(encoder),
      [this](std::string_view bytes) { return trace_file_->Write(bytes); });
  recorder_.Add(tracer_.get());
  return absl::OkStatus();
}

absl::Status RunRecording::Finish() {
  if (recorder_.lacks_ranks()) {
    console_->Warning(
        "the times of the other ranks are missing: they run other steps; use the same options and "
        "machine description on all hosts");
  }
  absl::Status profile = profile_ == nullptr ? absl::OkStatus() : profile_->Finish();
  if (tracer_ == nullptr) return profile;
  RETURN_IF_ERROR(tracer_->Finish());
  RETURN_IF_ERROR(trace_file_->Commit());
  return profile;
}

}  // namespace infer
