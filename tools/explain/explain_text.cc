// SPDX-License-Identifier: Apache-2.0
//
// A block for each node, or for all nodes of a scope that were decided alike:
//
//   attn/q_proj  multi_linear  f32[T,256], f32[T,128] x2  q8_0  (layers 0..5)
//     T 1..512    parallel  multi_linear_parallel
//       because   rule everything of policy parallel: it takes every node
//       not       scalar, simd: rule everything prefers parallel
//       not       metal: this machine has no metal device
//       work      262 kFLOP..134 MFLOP, 273 KiB..1.77 MiB; estimate -
//       to move   --place 'name=layer.*/attn/q_proj=scalar', or =simd
#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_join.h"
#include "ir/base/strings.h"
#include "tools/explain/explain.h"
#include "tools/report/machine_text.h"
#include "tools/report/program_head.h"
#include "tools/report/quantity_text.h"
#include "tools/report/shard_text.h"
#include "tools/report/wrapped_text.h"

namespace infer {
namespace {

void AddLine(std::string* out, std::string_view label, const std::string& text) {
  AppendWrapped(out, StrCat("    ", label), 14, text);
}

// What a rank does in a span, and the results if they have other types than in the first one.
std::string ShardOf(const ExplainedNode& node, const ExplainedSpan& span) {
  const Node& first = *node.spans[0].first->node;
  const Node& in_span = *span.first->node;
  const bool same = in_span.ResultTypes() == first.ResultTypes();
  return StrCat(ShardText(in_span), same ? "" : "; ", same ? "" : ResultsText(in_span));
}

bool IsDividedTheSameWay(const ExplainedNode& node) {
  const std::string first = ShardOf(node, node.spans[0]);
  return std::ranges::all_of(
      node.spans, [&](const ExplainedSpan& span) { return ShardOf(node, span) == first; });
}

// Nodes that share one block.
using Block = std::vector<const ExplainedNode*>;

// Returns what must be equal for that, in addition to scope and layers.
std::string DecisionOf(const ExplainedNode& node) {
  std::string text;
  for (const ExplainedSpan& span : node.spans) {
    StrAppend(&text, ShardOf(node, span), " ", RangeText(span.tokens), " ",
              Name(span.first->placement().target), " ", span.decided_by, " ", span.because, " ");
    for (const PassedOver& rule : span.passed_over) StrAppend(&text, PassedOverText(rule), " ");
    for (const OtherTarget& other : span.others) {
      StrAppend(&text, other.why, other.flag.empty() ? "-" : "+", other.no_kernel, " ");
    }
  }
  return text;
}

std::vector<Block> BlocksOf(const Explanation& explanation) {
  std::vector<Block> blocks;
  std::map<std::string, size_t> same;
  for (const ExplainedNode& node : explanation.nodes) {
    std::string key =
        StrCat(node.group->scope, " ", LayersText(node.group->layers), " ", DecisionOf(node));
    auto [it, is_new] = same.try_emplace(std::move(key), blocks.size());
    if (is_new) blocks.emplace_back();
    blocks[it->second].push_back(&node);
  }
  return blocks;
}

// Returns "slice_columns 12, matmul 8", in order of first occurrence.
std::string Counted(const std::vector<std::string>& words) {
  std::vector<std::pair<std::string, int>> counts;
  for (const std::string& word : words) {
    auto it = std::ranges::find(counts, word, &std::pair<std::string, int>::first);
    if (it == counts.end()) it = counts.insert(counts.end(), {word, 0});
    ++it->second;
  }
  return absl::StrJoin(counts, ", ", [](std::string* out, const auto& count) {
    StrAppend(out, count.first);
    if (count.second > 1) StrAppend(out, " x", count.second);
  });
}

std::string Head(const Block& block) {
  const NodeGroup& group = *block[0]->group;
  std::string layers;
  if (!group.layers.empty()) {
    layers =
        StrCat("  (layer", group.layers.size() > 1 ? "s " : " ", LayersText(group.layers), ")");
  }
  if (block.size() > 1) {
    std::vector<std::string> ops;
    for (const ExplainedNode* node : block) ops.emplace_back(node->group->op);
    return StrCat(block.size(), " nodes: ", Counted(ops), layers);
  }
  const Node& node = *block[0]->spans[0].first->node;
  std::string types = WeightTypesText(node);
  return StrCat(group.op, "  ", ResultsText(node), types.empty() ? "" : "  ", types, layers);
}

std::string WorkText(const Block& block, size_t number) {
  double flops_min = 0, flops_max = 0, bytes_min = 0, bytes_max = 0, ns_min = 0, ns_max = 0;
  for (const ExplainedNode* node : block) {
    const ExplainedSpan& span = node->spans[number];
    flops_min += span.flops_min;
    flops_max += span.flops_max;
    bytes_min += span.bytes_min;
    bytes_max += span.bytes_max;
    ns_min += span.estimate_ns_min;
    ns_max += span.estimate_ns_max;
  }
  return StrCat(SpanText(FlopsText(flops_min), FlopsText(flops_max)), ", ",
                SpanText(BytesText(bytes_min), BytesText(bytes_max)), "; estimate ",
                SpanText(TimeText(ns_min), TimeText(ns_max)));
}

// The flags differ only in their targets: "--place 'name=a=scalar', or =simd".
std::string FlagsText(const Block& block, size_t number) {
  std::string text;
  for (const OtherTarget& other : block[0]->spans[number].others) {
    if (other.flag.empty()) continue;
    std::string flag = other.flag;
    if (size_t op = flag.find(",op="); block.size() > 1 && op != std::string::npos) {
      flag.erase(op, flag.find_first_of(",=", op + 4) - op);  // the whole scope moves
    }
    StrAppend(&text, text.empty() ? flag : StrCat(", or =", Name(other.target)),
              other.in_parts ? " (in parts)" : "");
  }
  return text;
}

void AddSpan(const Block& block, size_t number, std::string* out) {
  const ExplainedSpan& span = block[0]->spans[number];
  std::vector<std::string> kernels;
  for (const ExplainedNode* node : block) {
    kernels.push_back(node->spans[number].first->placement().kernel);
  }
  AppendWrapped(out, StrCat("  T ", RangeText(span.tokens)), 14,
                StrCat(Name(span.first->placement().target), "  ", Counted(kernels)));
  if (!IsDividedTheSameWay(*block[0])) AddLine(out, "shard", ShardOf(*block[0], span));
  AddLine(out, "because", StrCat(span.decided_by, ": ", span.because));
  for (const PassedOver& rule : span.passed_over) AddLine(out, "", PassedOverText(rule));
  std::vector<std::pair<std::string, std::string>> reasons;  // why, targets
  for (const OtherTarget& other : span.others) {
    std::string why = StrCat(other.why, other.no_kernel.empty() ? "" : "; ", other.no_kernel);
    auto it = std::ranges::find(reasons, why, &std::pair<std::string, std::string>::first);
    if (it == reasons.end()) it = reasons.insert(reasons.end(), {why, ""});
    StrAppend(&it->second, it->second.empty() ? "" : ", ", Name(other.target));
  }
  for (const auto& [why, targets] : reasons) AddLine(out, "not", StrCat(targets, ": ", why));
  AddLine(out, "work", WorkText(block, number));
  if (std::string flags = FlagsText(block, number); !flags.empty()) {
    AddLine(out, "to move", flags);
    // The first matching flag decides: a flag that placed the node would override these.
    if (std::string_view flag = MustComeBefore(span.first->placement()); !flag.empty()) {
      AddLine(out, "", StrCat("before ", flag));
    }
  }
}

// Sums up the estimates of all nodes.
std::string CallsText(const Explanation& explanation) {
  return absl::StrJoin(explanation.regimes, ", ",
                       [](std::string* out, const RegimeView& regime) {
                         StrAppend(out, "T ", RangeText(regime.tokens()), " ",
                                   SpanText(TimeText(regime.totals.estimate_ns_min),
                                            TimeText(regime.totals.estimate_ns_max)));
                       }) +
         " (estimates of whole calls)";
}

}  // namespace

std::string ToText(const Explanation& explanation) {
  const Program& program = *explanation.program;
  std::string text = HeadText(program, 8);
  if (!MachineText(program.machine).empty()) {
    AppendWrapped(&text, "calls", 8, CallsText(explanation));
  }
  for (const Block& block : BlocksOf(explanation)) {
    StrAppend(&text, "\n");
    AppendWrapped(&text, block[0]->group->NameInLayer(), 4, Head(block));
    if (std::string shard = ShardOf(*block[0], block[0]->spans[0]);
        !shard.empty() && IsDividedTheSameWay(*block[0])) {
      AppendWrapped(&text, "  shard", 14, shard);
    }
    for (size_t i = 0; i < block[0]->spans.size(); ++i) AddSpan(block, i, &text);
  }
  return text;
}

}  // namespace infer
