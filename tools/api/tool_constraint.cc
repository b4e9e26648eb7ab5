// SPDX-License-Identifier: Apache-2.0
#include "tools/api/tool_constraint.h"

#include <utility>

#include "tools/api/logit_exceptions.h"

namespace infer {

ToolConstraint::ToolConstraint(const ToolConstraintOptions& options, const SharedGrammar& calls,
                               std::unique_ptr<TokenConstraint> content)
    : options_(options), calls_(calls), content_(std::move(content)) {}

bool ToolConstraint::IsEnd(int32_t token) const {
  return Contains(calls_.vocabulary->end_ids(), token);
}

bool ToolConstraint::IsFree() const {
  if (content_ != nullptr || options_.choice == ToolChoice::kRequired) return false;
  if (phase_ == kAfterCall || phase_ == kAfterLine) return options_.several;
  return phase_ != kInCall;
}

bool ToolConstraint::IsContent() const {
  return content_ != nullptr && options_.choice != ToolChoice::kRequired &&
         (phase_ == kStart || phase_ == kContent);
}

bool ToolConstraint::MayCall() const {
  if (options_.choice == ToolChoice::kNone || phase_ == kInCall) return false;
  if (phase_ == kAfterCall || phase_ == kAfterLine) return options_.several;
  return phase_ == kStart || content_ == nullptr;
}

void ToolConstraint::Force(int64_t most, std::vector<int32_t>* tokens) const {
  if (phase_ == kInCall) {
    call_->Force(most, tokens);
  } else if (phase_ == kContent && IsContent()) {
    content_->Force(most, tokens);
  } else if (phase_ == kStart && options_.choice == ToolChoice::kRequired && most > 0) {
    tokens->push_back(options_.call_begin);
  }
}

bool ToolConstraint::Allows(int32_t token) const {
  if (token == options_.call_begin) return MayCall();
  if (phase_ == kInCall) {
    if (token == options_.call_end) return call_->IsComplete();
    return !IsEnd(token) && call_->Allows(token);
  }
  if (IsFree()) return true;
  if (IsContent()) return content_->Allows(token);
  if (phase_ != kAfterCall && phase_ != kAfterLine) return false;
  if (IsEnd(token)) return true;
  return phase_ == kAfterCall && options_.several &&
         Contains(calls_.vocabulary->line_breaks(), token);
}

void ToolConstraint::Refuse(std::span<float> logits) const {
  const int32_t tags[] = {options_.call_begin, options_.call_end};
  {
    const LogitExceptions kept(tags, logits);
    if (phase_ == kInCall) {
      call_->Refuse(logits);
      Exclude(calls_.vocabulary->end_ids(), logits);
    } else if (IsContent()) {
      content_->Refuse(logits);
    } else if (!IsFree()) {
      for (size_t id = 0; id < logits.size(); ++id) {
        if (!Allows(static_cast<int32_t>(id))) logits[id] = kExcludedLogit;
      }
    }
  }
  for (const int32_t tag : tags) {
    if (!Allows(tag)) Exclude({&tag, 1}, logits);
  }
}

void ToolConstraint::Accept(int32_t token) {
  if (phase_ == kInCall) {
    if (token == options_.call_end) {
      phase_ = kAfterCall;
      call_.reset();
    } else {
      call_->Accept(token);
    }
    return;
  }
  if (token == options_.call_begin) {
    phase_ = kInCall;
    call_ = std::make_unique<GrammarConstraint>(calls_);
    return;
  }
  if (phase_ == kAfterCall || phase_ == kAfterLine) {
    if (!IsEnd(token)) phase_ = IsFree() ? kContent : kAfterLine;
    return;
  }
  phase_ = kContent;
  if (content_ != nullptr) content_->Accept(token);
}

}  // namespace infer
