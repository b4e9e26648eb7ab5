// SPDX-License-Identifier: Apache-2.0
#include "frontends/grammar/pattern_nfa.h"

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

using State = PatternNfa::State;

constexpr size_t kPartSteps = 12;

// Builds from the end to the beginning: each part is made with the state that follows it.
class NfaBuilder {
 public:
  explicit NfaBuilder(CompileBudget* budget) : budget_(*budget) {}

  absl::StatusOr<PatternNfa> Build(const RegexNode& regex) {
    // Any text may come before and after the match.
    const uint32_t any = AddSet(CodePointSet::All());
    ASSIGN_OR_RETURN(const uint32_t accept, Add({.kind = State::kAccept}));
    ASSIGN_OR_RETURN(const uint32_t after, Loop(any, accept));
    ASSIGN_OR_RETURN(const uint32_t match, Part(regex, after));
    ASSIGN_OR_RETURN(nfa_.start, Loop(any, match));
    return std::move(nfa_);
  }

 private:
  uint32_t AddSet(const CodePointSet& set) {
    const auto next = static_cast<uint32_t>(nfa_.sets.size());
    const auto [it, added] = set_ids_.try_emplace(set, next);
    if (added) nfa_.sets.push_back(set);
    return it->second;
  }

  absl::StatusOr<uint32_t> Add(const State& state) {
    if (nfa_.states.size() >= PatternNfa::kMaxStates) {
      return absl::InvalidArgumentError(
          StrCat("the pattern needs more than ", PatternNfa::kMaxStates,
                 " states; use smaller counts, or minLength and maxLength"));
    }
    nfa_.states.push_back(state);
    return static_cast<uint32_t>(nfa_.states.size() - 1);
  }

  absl::StatusOr<uint32_t> Loop(uint32_t set, uint32_t next) {
    ASSIGN_OR_RETURN(const uint32_t split, Add({.first = next}));
    ASSIGN_OR_RETURN(const uint32_t again,
                     Add({.kind = State::kClass, .set = set, .first = split}));
    nfa_.states[split].second = again;
    return split;
  }

  absl::StatusOr<uint32_t> Part(const RegexNode& node, uint32_t next) {
    // Parts without a state, such as the groups of (a()()()){1000}, count too.
    RETURN_IF_ERROR(TakePatternSteps(kPartSteps + node.set.ranges().size(), &budget_));
    switch (node.kind) {
      case RegexNode::kClass:
        return Add({.kind = State::kClass, .set = AddSet(node.set), .first = next});
      case RegexNode::kBegin:
        return Add({.kind = State::kBegin, .first = next});
      case RegexNode::kEnd:
        return Add({.kind = State::kEnd, .first = next});
      case RegexNode::kSequence:
        for (auto child = node.children.rbegin(); child != node.children.rend(); ++child) {
          ASSIGN_OR_RETURN(next, Part(*child, next));
        }
        return next;
      case RegexNode::kAlternatives: {
        uint32_t either = PatternNfa::kNone;
        for (const RegexNode& child : node.children) {
          ASSIGN_OR_RETURN(const uint32_t part, Part(child, next));
          ASSIGN_OR_RETURN(either, Add({.first = part, .second = either}));
        }
        return either;
      }
      case RegexNode::kRepeat:
        return Repeat(node, next);
    }
    return next;
  }

  absl::StatusOr<uint32_t> Repeat(const RegexNode& node, uint32_t next) {
    const RegexNode& child = node.children[0];
    const uint32_t end = next;
    if (node.max == kNoLimit) {
      ASSIGN_OR_RETURN(next, Add({.first = end}));
      ASSIGN_OR_RETURN(const uint32_t again, Part(child, next));
      nfa_.states[next].second = again;
    } else {
      for (uint32_t i = node.min; i < node.max; ++i) {
        ASSIGN_OR_RETURN(const uint32_t part, Part(child, next));
        ASSIGN_OR_RETURN(next, Add({.first = part, .second = end}));
      }
    }
    for (uint32_t i = 0; i < node.min; ++i) {
      // An empty child adds no state, and may be repeated a million times.
      const uint32_t before = next;
      ASSIGN_OR_RETURN(next, Part(child, next));
      if (next == before) break;
    }
    return next;
  }

  CompileBudget& budget_;
  PatternNfa nfa_;
  absl::flat_hash_map<CodePointSet, uint32_t> set_ids_;
};

}  // namespace

absl::Status TakePatternSteps(size_t steps, CompileBudget* budget) {
  if (budget->TakeSteps(steps)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "the pattern needs too many states, by itself or with the patterns before it; use smaller "
      "counts and fewer alternatives that begin alike");
}

absl::StatusOr<PatternNfa> PatternNfa::Create(const RegexNode& regex, CompileBudget* budget) {
  return NfaBuilder(budget).Build(regex);
}

}  // namespace infer
