// SPDX-License-Identifier: Apache-2.0
#include "tools/run/run_profile.h"

#include <numeric>

#include "ir/base/status_macros.h"
#include "tools/api/device_lines.h"
#include "tools/profile/profile_estimates.h"
#include "tools/profile/profile_text.h"

namespace infer {

absl::StatusOr<std::unique_ptr<RunProfile>> RunProfile::Start(
    const RunOptions& options, const ThreadChoice& threads, std::span<const int> rank_threads,
    const Program& program, const KernelRegistry& registry, StepRecorder* recorder,
    ToolContext* context) {
  auto profile =
      std::unique_ptr<RunProfile>(new RunProfile(options, threads, rank_threads, program, context));
  if (!options.profile.empty()) {
    ASSIGN_OR_RETURN(profile->file_, context->OpenOutput(options.profile));
  }
  profile->emulated_ = RunsEmulated(program, registry);
  recorder->Add(&profile->profiler_);
  return profile;
}

RunProfile::RunProfile(const RunOptions& options, const ThreadChoice& threads,
                       std::span<const int> rank_threads, const Program& program,
                       ToolContext* context)
    : options_(options),
      threads_(threads),
      program_(program),
      context_(context),
      rank_threads_(rank_threads.begin(), rank_threads.end()),
      profiler_(program, std::accumulate(rank_threads.begin(), rank_threads.end(), 0)) {}

absl::Status RunProfile::Finish() {
  Profile profile = profiler_.Finish();
  profile.threads_by = NameOf(threads_.by);
  profile.emulated = emulated_;
  if (rank_threads_.size() > 1) {
    profile.rank_threads.assign(rank_threads_.begin(), rank_threads_.end());
  }
  RETURN_IF_ERROR(EstimateProfile(program_, &profile));
  if (options_.dump_profile) {
    context_->console().Report(options_.format == ReportForm::kText ? ProfileText(profile)
                                                                    : ProfileJson(profile));
  }
  if (file_ == nullptr) return absl::OkStatus();
  ASSIGN_OR_RETURN(std::string bytes, SerializeProfile(profile));
  RETURN_IF_ERROR(file_->Write(bytes));
  return file_->Commit();
}

}  // namespace infer
