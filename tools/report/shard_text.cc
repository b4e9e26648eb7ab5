// SPDX-License-Identifier: Apache-2.0
#include "tools/report/shard_text.h"

#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "ir/base/strings.h"
#include "ir/ops/attributes.h"

namespace infer {
namespace {

// The value of an attribute, as text without quotes; empty if the op has no such attribute.
std::string AttrText(const Node& node, std::string_view name) {
  for (size_t i = 0; i < node.attrs().size(); ++i) {
    if (node.op().attrs[i].name != name) continue;
    const Attr& attr = node.attrs()[i];
    const auto* text = std::get_if<std::string>(&attr);
    return text != nullptr ? *text : ToString(attr);
  }
  return {};
}

// What a rank has of a weight, and why: two texts, so that equal ones are said once.
std::pair<std::string, std::string> PartOf(const Node& weight) {
  const WeightSlice slice = SliceOf(weight);
  const std::string reason = AttrText(weight, "shard");
  if (slice.parts != 0) {
    return {StrCat("1/", slice.parts, " of its weight"),
            StrCat(" along axis ", slice.axis, ": ", reason)};
  }
  if (reason.empty()) return {};
  return {"all of its weight", StrCat(" on every rank: ", reason)};
}

}  // namespace

std::string ShardText(const Node& node) {
  if (node.op().traits.collective) {
    const std::string reason = AttrText(node, "reason"), ranks = AttrText(node, "ranks");
    const std::string what =
        node.op().traits.shares_rows
            ? StrCat("shares out the rows over ", ranks, " ranks")
            : StrCat(node.result().type == node.input(0).type() ? "adds" : "collects", " what ",
                     ranks, " ranks have");
    return StrCat(what, reason.empty() ? "" : ": ", reason);
  }
  std::vector<std::string> parts;
  int same = 0;
  std::pair<std::string, std::string> last;
  auto flush = [&] {
    if (same > 0) parts.push_back(StrCat(last.first, same > 1 ? "s" : "", last.second));
  };
  for (const Value& input : node.inputs()) {
    if (!input.node->op().traits.weight) continue;
    std::pair<std::string, std::string> part = PartOf(*input.node);
    if (part.first.empty()) continue;
    if (part == last) {
      ++same;
      continue;
    }
    flush();
    last = std::move(part);
    same = 1;
  }
  flush();
  return absl::StrJoin(parts, "; ");
}

}  // namespace infer
