// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "runtime/draft_length.h"
#include "runtime/drafter.h"
#include "runtime/session.h"
#include "tools/api/draft_model.h"
#include "tools/api/model_file.h"
#include "tools/cli/tool.h"
#include "tools/run/run_options.h"

namespace infer {

// The drafts of infer-run, and the small model that makes them, if there is one.
class RunDrafts {
 public:
  // Opens and checks what drafts need, before anything is packed. Returns null if none are asked
  // for, or, with a warning, if the Program allows none.
  static absl::StatusOr<std::unique_ptr<RunDrafts>> Open(const RunOptions& options,
                                                         const ModelFile& model,
                                                         const Program& program, Console* console);
  // `session` is the text's. `registry` must outlive this object.
  absl::Status Load(const RunOptions& options, const Session& session,
                    const KernelRegistry& registry, ToolContext* context);

  // Only after Load.
  Drafter* drafter() { return drafter_.get(); }
  DraftLength* length() { return length_.get(); }

 private:
  RunDrafts() = default;

  DraftModel model_;  // without a file: drafts come from the text
  std::unique_ptr<Session> session_;
  std::unique_ptr<Drafter> drafter_;
  std::unique_ptr<DraftLength> length_;
};

}  // namespace infer
