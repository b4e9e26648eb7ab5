// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "runtime/token_constraint.h"
#include "tools/api/grammar_constraint.h"

namespace infer {

// Whether an answer may or must call tools.
enum class ToolChoice : uint8_t { kAuto, kNone, kRequired };

struct ToolConstraintOptions {
  int32_t call_begin = 0;  // <tool_call>
  int32_t call_end = 0;    // </tool_call>
  ToolChoice choice = ToolChoice::kAuto;
  bool several = true;  // more than one call in an answer
};

// Binds calls of tools to a grammar, from the token <tool_call> to </tool_call>. Outside of calls
// the text is up to `content`, or free if that is null. A call may come in front of bound content,
// and replaces it. An answer that must call has nothing but calls. Tags that a model spells with
// tokens of plain text are text.
class ToolConstraint final : public TokenConstraint {
 public:
  // `calls` has the grammar of the text between the tags.
  ToolConstraint(const ToolConstraintOptions& options, const SharedGrammar& calls,
                 std::unique_ptr<TokenConstraint> content);

  void Force(int64_t most, std::vector<int32_t>* tokens) const override;
  bool Allows(int32_t token) const override;
  void Refuse(std::span<float> logits) const override;
  void Accept(int32_t token) override;

 private:
  // kStart: the answer is empty. kContent: it has begun with text. kAfterCall: a call was the last
  // thing in it. kAfterLine: a call and a line break were.
  enum Phase { kStart, kContent, kInCall, kAfterCall, kAfterLine };

  // Whether any text may follow, up to the next call.
  bool IsFree() const;
  // Whether `content_` decides what follows, besides a call.
  bool IsContent() const;
  // Whether a call may begin.
  bool MayCall() const;
  bool IsEnd(int32_t token) const;

  ToolConstraintOptions options_;
  SharedGrammar calls_;
  std::unique_ptr<TokenConstraint> content_;
  std::unique_ptr<GrammarConstraint> call_;  // while kInCall
  Phase phase_ = kStart;
};

}  // namespace infer
