// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/family/model_family.h"
#include "frontends/tokenizer/tokenizer.h"
#include "runtime/generation.h"
#include "runtime/kernel_registry.h"
#include "runtime/session.h"
#include "tools/api/model_file.h"
#include "tools/cli/tool.h"
#include "tools/run/product_stream.h"
#include "tools/run/run_drafts.h"
#include "tools/run/run_options.h"
#include "tools/run/run_recording.h"
#include "tools/run/thread_waits.h"

namespace infer {

// One run of infer-run: a loaded model and the actions on it. `options` and `context` must outlive
// it; the options have passed CompleteOptions.
class Runner {
 public:
  static absl::StatusOr<std::unique_ptr<Runner>> Load(const RunOptions& options,
                                                      ToolContext& context);

  // Continues one prompt of text or ids.
  absl::Status Complete();
  // Answers one message, or one for each line of stdin.
  absl::Status Chat();
  // Compares the run of the prompt with that of another policy.
  absl::Status Verify();
  void PrintStats();
  // Called after the run: writes profile and trace, if requested.
  absl::Status FinishRecording();

 private:
  Runner(const RunOptions& options, ToolContext& context);
  absl::StatusOr<Program> MakeProgram();
  absl::StatusOr<Program> LoadStoredProgram();
  absl::Status Prepare();

  absl::StatusOr<std::string> ReadPrompt() const;
  absl::StatusOr<std::vector<int32_t>> PromptIds() const;
  absl::Status Echo(const std::vector<int32_t>& prompt, ProductStream* product) const;
  // Continues `prompt`, writes the text to `product` and, if `text` is not null, appends it there.
  absl::Status Run(const std::vector<int32_t>& prompt, ProductStream* product, std::string* text);
  absl::StatusOr<GenerationResult> RunGeneration(const std::vector<int32_t>& prompt,
                                                 ProductStream* product, std::string* text);
  void WarnOfOtherTemplate() const;
  absl::Status Answer(std::string message);

  const RunOptions& options_;
  ToolContext& context_;
  SamplerOptions sampler_;
  ThreadChoice threads_;
  std::unique_ptr<KernelRegistry> registry_;
  std::unique_ptr<ModelFile> model_;
  const ModelFamily* family_ = nullptr;
  std::unique_ptr<Tokenizer> tokenizer_;
  std::unique_ptr<Session> session_;
  std::unique_ptr<RunDrafts> drafts_;  // null unless requested
  std::unique_ptr<ThreadWaits> waits_;
  std::unique_ptr<RunRecording> recording_;  // null unless requested
  std::vector<ChatMessage> messages_;
};

}  // namespace infer
