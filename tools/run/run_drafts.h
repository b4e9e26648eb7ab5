// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "runtime/draft_length.h"
#include "runtime/drafter.h"
#include "runtime/session.h"
#include "tools/api/model_file.h"
#include "tools/cli/console.h"
#include "tools/run/run_options.h"

namespace infer {

// The drafts of infer-run, and the small model that makes them, if there is one.
class RunDrafts {
 public:
  // Returns null if none are asked for, or, with a warning, if the Program allows none. `model` and
  // `session` are those of the text; `registry` must outlive the result.
  static absl::StatusOr<std::unique_ptr<RunDrafts>> Start(const RunOptions& options,
                                                          const ModelFile& model,
                                                          const Session& session,
                                                          const KernelRegistry& registry,
                                                          Console* console);

  Drafter* drafter() { return drafter_.get(); }
  DraftLength* length() { return length_.get(); }

 private:
  RunDrafts() = default;
  absl::Status LoadModel(const RunOptions& options, const ModelFile& model, const Session& session,
                         const KernelRegistry& registry, Console* console);

  std::unique_ptr<ModelFile> model_;
  std::unique_ptr<Session> session_;
  std::unique_ptr<Drafter> drafter_;
  std::unique_ptr<DraftLength> length_;
};

}  // namespace infer
