// SPDX-License-Identifier: Apache-2.0
#include "tools/trace/step_log.h"

#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "ir/base/strings.h"
#include "ir/graph/node_name.h"
#include "ir/graph/placement.h"
#include "runtime/profile.h"

namespace infer {
namespace {

std::string TimeText(int64_t ns) {
  return ns < 1'000'000 ? absl::StrFormat("%.1fus", static_cast<double>(ns) / 1e3)
                        : absl::StrFormat("%.3fms", static_cast<double>(ns) / 1e6);
}

// Escapes names, which come from a file and must not reach a terminal unchanged.
std::string Shown(std::string_view name) { return absl::Utf8SafeCHexEscape(ToAbsl(name)); }

// One step of a call, with the parts of its scope.
struct LoggedStep {
  const TracedStep* step = nullptr;
  std::vector<std::string> scope;  // the groups that contain it, and its own name
  int64_t ns = 0;

  size_t depth() const { return scope.size() - 1; }
  // Returns whether it is in the first `depth` groups of `other`.
  bool Shares(const LoggedStep& other, size_t depth) const {
    if (this->depth() < depth || other.depth() < depth) return false;
    for (size_t i = 0; i < depth; ++i) {
      if (scope[i] != other.scope[i]) return false;
    }
    return true;
  }
};

void AppendIndent(size_t depth, std::string* text) {
  for (size_t i = 0; i < depth; ++i) StrAppend(text, "-> ");
}

// Appends the group at `depth` that step `first` opens, with the total time of the steps in it.
void AppendGroup(const std::vector<LoggedStep>& steps, size_t first, size_t depth,
                 std::string* text) {
  int64_t ns = 0;
  for (size_t i = first; i < steps.size() && steps[i].Shares(steps[first], depth + 1); ++i) {
    ns += steps[i].ns;
  }
  AppendIndent(depth + 1, text);
  StrAppend(text, "[", Shown(steps[first].scope[depth]), "] ", TimeText(ns), "\n");
}

void AppendStep(const LoggedStep& logged, const SymbolValues& symbols, std::string* text) {
  const Node& node = *logged.step->node;
  AppendIndent(logged.depth() + 1, text);
  const TracedStep& step = *logged.step;
  const bool copies = step.copy != nullptr;
  StrAppend(text, "[", copies ? Name(step.device) : Name(node.placement()->target), "] [",
            copies ? std::string_view("copy") : node.op().name, "] ");
  if (!logged.scope.back().empty()) StrAppend(text, Shown(logged.scope.back()), " ");
  const std::string operands = copies
                                   ? StrCat(DirectionText(*step.copy), " ", CopiedAt(step, symbols))
                                   : InputsAt(node, symbols);
  StrAppend(text, "(", operands, ") ", TimeText(logged.ns), "\n");
}

}  // namespace

StepLog::StepLog(const Program& program, Print print) : print_(std::move(print)) {
  for (const Regime& regime : program.regimes) regimes_.push_back(TracedSteps(regime));
}

void StepLog::AfterCall(const RecordedCall& call) {
  std::vector<LoggedStep> steps;
  for (const TracedStep& step : regimes_[call.regime]) {
    const StepEvent& event = call.events->thread(0)[step.number];
    LoggedStep& logged = steps.emplace_back();
    logged.step = &step;
    logged.scope = absl::StrSplit(step.node->scope(), '/');
    logged.scope.back() = NodeNameInFolder(*step.node);
    logged.ns = event.wait_end_ns - event.start_ns;
  }
  std::string text =
      StrCat("[call ", ++calls_, "] (T=", call.symbols.t, ", R=", call.symbols.r,
             ", S=", call.symbols.s, ") ", TimeText(call.end_ns - call.start_ns), "\n");
  for (size_t i = 0; i < steps.size(); ++i) {
    for (size_t depth = 0; depth < steps[i].depth(); ++depth) {
      if (i > 0 && steps[i].Shares(steps[i - 1], depth + 1)) continue;
      AppendGroup(steps, i, depth, &text);
    }
    AppendStep(steps[i], call.symbols, &text);
  }
  text.pop_back();
  print_(text);
}

}  // namespace infer
