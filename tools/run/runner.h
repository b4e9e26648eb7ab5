// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/family/model_family.h"
#include "frontends/tokenizer/tokenizer.h"
#include "runtime/generation.h"
#include "runtime/kernel_registry.h"
#include "runtime/session.h"
#include "runtime/token_constraint.h"
#include "tools/api/answer_rules.h"
#include "tools/api/model_file.h"
#include "tools/cli/tool.h"
#include "tools/run/chat_prompt.h"
#include "tools/run/conversation.h"
#include "tools/run/product_stream.h"
#include "tools/run/report.h"
#include "tools/run/run_drafts.h"
#include "tools/run/run_options.h"
#include "tools/run/run_recording.h"
#include "tools/run/thread_waits.h"

namespace infer {

// One run of infer-run: a loaded model and the actions on it. `options` and `context` must outlive
// it; the options have passed CompleteOptions.
class Runner {
 public:
  // Reads the prompt first and refuses one that does not fit the context, before any weight is
  // packed.
  static absl::StatusOr<std::unique_ptr<Runner>> Load(const RunOptions& options,
                                                      ToolContext& context);

  // Continues one prompt of text or ids.
  absl::Status Complete();
  // Compares the run of the prompt with that of another policy.
  absl::Status Verify();
  // Prints all statistics of the run, if they were requested or with -v.
  void PrintStats();
  // Called after the run: writes profile and trace, if requested.
  absl::Status FinishRecording();

  struct Sink {
    // Receives text as it becomes complete; returning false ends the generation.
    std::function<bool(std::string_view)> on_text;
    std::function<void(int32_t)> on_token;
  };
  struct Request {
    std::span<const int32_t> prompt;
    bool thought_is_open = false;  // the prompt ends within a thought
    bool answers_results = false;  // the last message is the result of a tool
    SamplerOptions sampler = {};
    int64_t max_tokens = 0;  // -1: until the end
    // See GenerationCallbacks.
    std::function<std::optional<std::vector<int32_t>>()> shorten_prompt = {};
  };
  // Continues a prompt by the rules of the command line. Of `speed` all is set.
  absl::StatusOr<GenerationResult> Generate(const Request& request, const Sink& sink,
                                            AnswerSpeed* speed);
  // Prints the line of speed and, if the context is full, a warning that says so.
  void PrintSpeed(const AnswerSpeed& speed);
  // Lets the threads sleep, while the user types.
  void Pause() { registry_->backend(Device::kCpu)->Pause(); }

  const ModelFile& model() const { return *model_; }
  const ModelFamily& family() const { return *family_; }
  const Tokenizer& tokenizer() const { return *tokenizer_; }
  const Session& session() const { return *session_; }
  // Only of a chat.
  const ConversationRenderer& renderer() const { return *renderer_; }
  // The system message and, if the command line has one, the message to answer.
  const Conversation& conversation() const { return conversation_; }
  std::string StatisticsText();

 private:
  Runner(const RunOptions& options, ToolContext& context);
  absl::Status Prepare();
  absl::Status OpenModel();
  absl::Status CheckStoredWeights(const Program& program) const;
  absl::StatusOr<Program> MakeProgram();

  // Reads the template and tools of a chat, and what the text must keep to.
  absl::Status PrepareChat();
  absl::Status PrepareRules();
  absl::StatusOr<std::optional<AnswerRules>> MakeRules(const AnswerRulesRequest& request);
  absl::StatusOr<std::string> ReadPrompt() const;
  // Fills prompt_ids_ and conversation_, and checks that they fit.
  absl::Status PreparePrompt();
  absl::Status CheckFits(int64_t tokens, std::string_view what) const;
  absl::Status Echo(ProductStream* product) const;

  const RunOptions& options_;
  ToolContext& context_;
  ThreadChoice threads_;
  std::unique_ptr<KernelRegistry> registry_;
  std::optional<Program> stored_;  // given with -g, until it is loaded
  std::unique_ptr<ModelFile> model_;
  const ModelFamily* family_ = nullptr;
  std::unique_ptr<Tokenizer> tokenizer_;
  std::optional<ConversationRenderer> renderer_;
  std::shared_ptr<const GrammarVocabulary> grammar_tokens_;
  std::optional<AnswerRules> rules_;
  std::optional<AnswerRules> rules_after_results_;  // of answers to results of tools
  std::vector<int32_t> prompt_ids_;
  Conversation conversation_;
  std::unique_ptr<Session> session_;
  std::unique_ptr<RunDrafts> drafts_;  // null unless requested
  std::unique_ptr<ThreadWaits> waits_;
  std::unique_ptr<RunRecording> recording_;  // null unless requested
};

}  // namespace infer
