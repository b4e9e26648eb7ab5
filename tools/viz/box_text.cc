// SPDX-License-Identifier: Apache-2.0
#include "tools/viz/box_text.h"

#include <algorithm>

#include "ir/base/strings.h"
#include "ir/graph/placement.h"
#include "tools/report/quantity_text.h"

namespace infer {

// A character is 0.53 em wide in Helvetica's lower case and 0.60 em in every monospaced font.
double TextWidth(std::string_view text, double font_size, bool mono) {
  return static_cast<double>(DisplayColumns(text)) * font_size * (mono ? 0.61 : 0.57);
}

std::vector<BoxLine> BoxLines(const PictureNode& node) {
  if (node.view == nullptr) {
    std::vector<BoxLine> lines = {{node.title, "end", 11, false}};
    if (!node.types.empty()) lines.push_back({node.types, "mono", 10, true});
    return lines;
  }
  const Placement& placement = node.view->placement();
  std::vector<BoxLine> lines = {{node.title, "op", 13, false}};
  if (node.names != node.title) lines.push_back({node.names, "name", 10.5, false});
  lines.push_back({node.types, "mono", 10, true});
  std::string time = TimeText(placement.estimate_ns_max);
  lines.push_back({StrCat(Name(placement.target), " · ", placement.kernel), "kernel", 10, false});
  if (time != "-") {
    lines.push_back({StrCat("estimate ", SpanText(TimeText(placement.estimate_ns_min), time)),
                     "kernel", 10, false});
  }
  return lines;
}

LayoutNode BoxSize(const PictureNode& node) {
  LayoutNode size;
  std::vector<BoxLine> lines = BoxLines(node);
  for (const BoxLine& line : lines) {
    size.width = std::max(size.width, TextWidth(line.text, line.font_size, line.mono));
  }
  size.is_aside = node.view == nullptr;
  size.width += 2 * kBoxPadding + (node.view == nullptr ? 0 : kBoxBarWidth);
  size.height = kBoxLineHeight * static_cast<double>(lines.size()) + 12;
  return size;
}

}  // namespace infer
