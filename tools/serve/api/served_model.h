// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/chat/chat_renderer.h"
#include "frontends/family/model_family.h"
#include "frontends/tokenizer/tokenizer.h"
#include "tools/api/answer_rules_cache.h"
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

  absl::StatusOr<std::shared_ptr<const AnswerRules>> RulesFor(
      const AnswerRulesRequest& request) const {
    return rules_.Get(request, &tokenizer_);
  }

 private:
  ServedModel(const ModelFamily* family, ModelConfig config, Tokenizer tokenizer,
              std::string_view chat_template, const ServedModelOptions& options);

  ServedModelOptions options_;
  std::vector<std::string> names_;
  const ModelFamily* family_;
  ModelConfig config_;
  Tokenizer tokenizer_;
  ChatRenderer chat_;
  std::optional<int32_t> thought_end_;
  int64_t created_;
  mutable AnswerRulesCache rules_;
};

}  // namespace infer::serve
