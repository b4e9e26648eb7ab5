// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/chat/chat_renderer.h"
#include "frontends/family/model_family.h"
#include "frontends/grammar/grammar_vocabulary.h"
#include "frontends/tokenizer/tokenizer.h"
#include "tools/api/answer_rules.h"
#include "tools/api/model_file.h"

namespace infer::serve {

struct ServedModelOptions {
  std::vector<std::string> names = {};  // that clients may use; empty: the file's own
  std::string chat_template = {};       // text; empty: the file's own
  int64_t context = 0;                  // positions of one request
  int64_t max_choices = 1;              // of one request
};

// What the API layer knows of the model: its names, tokenizer and chat format. Any thread may use
// it.
class ServedModel {
 public:
  // `file` must outlive it.
  static absl::StatusOr<std::unique_ptr<ServedModel>> Create(const ModelFile& file,
                                                             const ServedModelOptions& options);

  const std::string& name() const { return names_[0]; }
  const std::vector<std::string>& names() const { return names_; }
  bool IsNamed(std::string_view name) const;
  const ModelConfig& config() const { return config_; }
  const ModelFamily& family() const { return *family_; }
  const Tokenizer& tokenizer() const { return tokenizer_; }
  const ChatRenderer& chat() const { return chat_; }
  int64_t context() const { return options_.context; }
  int64_t max_choices() const { return options_.max_choices; }
  int64_t created() const { return created_; }  // seconds since 1970, when the server started
  bool can_think() const {
    return !family_->chat.thought_start.empty() && thought_end_.has_value();
  }

  // Returns rules for an answer. The vocabulary's tree and the latest schemas are kept.
  absl::StatusOr<std::shared_ptr<const AnswerRules>> RulesFor(
      const AnswerRulesRequest& request) const;

 private:
  ServedModel(const ModelFamily* family, ModelConfig config, Tokenizer tokenizer,
              std::string_view chat_template, const ServedModelOptions& options);

  struct KeptRules {
    std::string key;
    std::shared_ptr<const AnswerRules> rules;
  };

  ServedModelOptions options_;
  std::vector<std::string> names_;
  const ModelFamily* family_;
  ModelConfig config_;
  Tokenizer tokenizer_;
  ChatRenderer chat_;
  std::optional<int32_t> thought_end_;
  int64_t created_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const GrammarVocabulary> grammar_tokens_;
  mutable std::vector<KeptRules> kept_;  // latest last
};

}  // namespace infer::serve
