// SPDX-License-Identifier: Apache-2.0
#include "tools/viz/dot.h"

#include <map>
#include <vector>

#include "ir/base/strings.h"
#include "ir/graph/placement.h"
#include "tools/report/quantity_text.h"
#include "tools/viz/target_look.h"

namespace infer {
namespace {

// Quotes a DOT string. Backslashes and quotes are escaped; \n is the line break of a label.
std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return quoted + '"';
}

std::string NodeLine(const PictureNode& node, size_t number) {
  std::string label = node.title;
  for (const std::string* part : {&node.names, &node.types}) {
    if (!part->empty()) StrAppend(&label, "\n", *part);
  }
  if (node.view == nullptr) {
    return StrCat("n", number, " [label=", Quoted(label), ", style=rounded, color=\"#9ca3af\"];\n");
  }
  const Placement& placement = node.view->placement();
  const TargetLook& style = LookOf(placement.target);
  StrAppend(&label, "\n", Name(placement.target), ": ", placement.kernel);
  return StrCat("n", number, " [label=", Quoted(label), ", color=", Quoted(style.stroke),
                ", fillcolor=", Quoted(style.fill), ", penwidth=", style.border,
                ", style=", Quoted(StrCat("rounded,filled", style.dash.empty() ? "" : ",dashed")),
                "];\n");
}

}  // namespace

std::string DotText(const Picture& picture) {
  std::string label = StrCat(picture.title, "\n", picture.subtitle);
  for (const std::string& caption : picture.captions) StrAppend(&label, "\n", caption);
  std::string text = StrCat("digraph layer {\n  label=", Quoted(label),
                            ";\n  labelloc=t;\n  fontname=\"Helvetica\";\n"
                            "  node [shape=box, fontname=\"Helvetica\", fontsize=10];\n"
                            "  edge [fontname=\"Helvetica\", fontsize=9, color=\"#4b5563\"];\n");
  std::map<std::string, std::vector<size_t>> clusters;
  for (size_t i = 0; i < picture.nodes.size(); ++i) {
    clusters[picture.nodes[i].cluster].push_back(i);
  }
  int number = 0;
  for (const auto& [name, members] : clusters) {
    std::string indent = name.empty() ? "  " : "    ";
    if (!name.empty()) {
      StrAppend(&text, "  subgraph cluster_", number++, " {\n    label=", Quoted(name),
                ";\n    style=rounded;\n    color=\"#d1d5db\";\n");
    }
    for (size_t i : members) StrAppend(&text, indent, NodeLine(picture.nodes[i], i));
    if (!name.empty()) text += "  }\n";
  }
  for (const PictureEdge& edge : picture.edges) {
    StrAppend(&text, "  n", edge.from, " -> n", edge.to);
    if (edge.crosses) {
      StrAppend(&text, " [color=\"#d55e00\", penwidth=2, ", edge.shared ? "style=dashed, " : "",
                "label=", Quoted(CrossingLabel(edge)), "]");
    }
    text += ";\n";
  }
  return text + "}\n";
}

}  // namespace infer
