// SPDX-License-Identifier: Apache-2.0
#include "tools/run/run_profile.h"

#include "ir/status_macros.h"
#include "tools/profile/profile_estimates.h"
#include "tools/profile/profile_text.h"

namespace infer {

absl::StatusOr<std::unique_ptr<RunProfile>> RunProfile::Start(const RunOptions& options,
                                                              const ThreadChoice& threads,
                                                              Session* session,
                                                              ToolContext* context) {
  auto profile = std::unique_ptr<RunProfile>(new RunProfile(options, threads, session, context));
  if (!options.profile.empty()) {
    ASSIGN_OR_RETURN(profile->file_, context->OpenOutput(options.profile));
  }
  return profile;
}

RunProfile::RunProfile(const RunOptions& options, const ThreadChoice& threads, Session* session,
                       ToolContext* context)
    : options_(options),
      threads_(threads),
      session_(session),
      context_(context),
      recorder_(session->program(), threads.team.threads),
      profiler_(session->program(), threads.team.threads) {
  recorder_.Add(&profiler_);
  session_->SetRecorder(&recorder_);
}

RunProfile::~RunProfile() { session_->SetRecorder(nullptr); }

absl::Status RunProfile::Finish() {
  Profile profile = profiler_.Finish();
  profile.threads_by = NameOf(threads_.by);
  RETURN_IF_ERROR(EstimateProfile(session_->program(), &profile));
  if (options_.dump_profile) {
    context_->console().Info(options_.format == ReportForm::kText ? ProfileText(profile)
                                                                  : ProfileJson(profile));
  }
  if (file_ == nullptr) return absl::OkStatus();
  ASSIGN_OR_RETURN(std::string bytes, SerializeProfile(profile));
  RETURN_IF_ERROR(file_->Write(bytes));
  return file_->Commit();
}

}  // namespace infer
