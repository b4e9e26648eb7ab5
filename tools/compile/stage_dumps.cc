// SPDX-License-Identifier: Apache-2.0
#include "tools/compile/stage_dumps.h"

#include <iterator>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/proto/serialize.h"
#include "ir/text/printer.h"
#include "tools/cli/exit_code.h"

namespace infer {
namespace {

absl::StatusOr<std::string> Render(const Graph& graph, GraphForm form) {
  switch (form) {
    case GraphForm::kPb:
      return SerializeGraph(graph);
    case GraphForm::kPbtxt:
      return GraphToTextproto(graph);
    case GraphForm::kJson:
      return GraphToJson(graph);
    case GraphForm::kText:
      return PrintGraph(graph);
  }
  return absl::InternalError("unknown form of a graph");
}

}  // namespace

PassObserver StageDumps::Observer() {
  if (stage_.empty()) return {};
  return {.before = {}, .after = [this](const PassRecord& record, const Graph& graph, double) {
            Add(record.name, record.regime, graph);
          }};
}

void StageDumps::Add(std::string_view pass, int32_t regime, const Graph& graph) {
  const Range& tokens = graph.symbols()[Symbol::kT];
  if (stage_ == "all") {
    StrAppend(&all_, "# ", pass);
    if (regime > 0) StrAppend(&all_, ", regime of T ", tokens.min, "..", tokens.max);
    StrAppend(&all_, "\n", PrintGraph(graph), "\n");
  } else if (stage_ == Name(graph.stage())) {
    by_regime_.insert_or_assign(regime, Dump{tokens, Render(graph, form_)});
  }
}

absl::StatusOr<std::string> StageDumps::Rendered() const {
  if (stage_ == "all") return all_;
  auto first = by_regime_.upper_bound(0);
  if (first == by_regime_.end()) first = by_regime_.begin();
  auto count = std::distance(first, by_regime_.end());
  if (count == 0) return absl::InternalError(StrCat("no graph reached stage ", stage_));
  if (count == 1) return first->second.rendered;
  if (form_ != GraphForm::kText) {
    return UsageError(StrCat("--stage ", stage_, " is ", count,
                             " graphs, one for each regime, which only text can hold; add --emit "
                             "text"));
  }
  std::string text;
  for (auto it = first; it != by_regime_.end(); ++it) {
    ASSIGN_OR_RETURN(std::string graph, it->second.rendered);
    StrAppend(&text, "# regime of T ", it->second.tokens.min, "..", it->second.tokens.max, "\n",
              graph, std::next(it) == by_regime_.end() ? "" : "\n");
  }
  return text;
}

}  // namespace infer
