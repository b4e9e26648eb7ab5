// SPDX-License-Identifier: Apache-2.0
#include "tools/viz/html.h"

#include "absl/strings/escaping.h"
#include "ir/base/strings.h"
#include "tools/report/layer_groups.h"
#include "tools/report/program_head.h"
#include "tools/report/quantity_text.h"
#include "tools/viz/deflate.h"
#include "tools/viz/layer_picture.h"
#include "tools/viz/svg.h"

namespace infer {
namespace {

// Tabulates the groups of one program: what runs where in each regime.
std::string StaticTable(const NamedProgram& named, const std::vector<RegimeView>& regimes,
                        const GroupedProgram& grouped) {
  std::string html = StrCat("<h2>", XmlText(ModelText(named.program->model)), ", policy ",
                            XmlText(named.program->policy.name), "</h2>");
  for (const std::string& caption : PlacedCaptions(*named.program)) {
    StrAppend(&html, "<p>", XmlText(caption), "</p>");
  }
  html += "<table><tr><th>node<th>op<th>layers";
  for (const RegimeView& regime : regimes) {
    StrAppend(&html, "<th>", XmlText(regime.label()));
  }
  for (const NodeGroup& group : grouped.groups) {
    StrAppend(&html, "<tr><td>", XmlText(group.FullName()), "<td>", XmlText(group.op), "<td>",
              XmlText(LayersText(group.layers)));
    for (size_t r = 0; r < regimes.size(); ++r) {
      const NodeView* view = grouped.At(group, r);
      StrAppend(&html, "<td>", view == nullptr ? "" : Name(view->placement().target));
    }
  }
  return html + "</table>";
}

std::string WithoutScripts(const std::vector<NamedProgram>& programs) {
  std::string html = "<noscript><p>This page shows more with scripts enabled.</p>";
  for (const NamedProgram& named : programs) {
    std::vector<RegimeView> regimes = ViewRegimes(*named.program);
    GroupedProgram grouped = GroupProgram(regimes);
    StrAppend(&html, StaticTable(named, regimes, grouped));
    const LayerGroup* largest = LargestGroup(grouped.layers);
    // A layer of primitives has hundreds of nodes: the drawing would be useless and as large as the
    // page.
    if (largest == nullptr || largest->groups.size() > 40) continue;
    StrAppend(&html, SvgText(DrawLayers(*named.program, regimes[0], grouped,
                                        std::vector<int64_t>{largest->layers[0]})));
  }
  return html + "</noscript>";
}

}  // namespace

std::string HtmlText(const std::vector<NamedProgram>& programs) {
  std::string title = programs.empty() ? "" : XmlText(ModelText(programs[0].program->model));
  std::string data = absl::Base64Escape(Deflate(VizJson(programs)));
  // The Content-Security-Policy forbids everything that is not in the file, so that a page from a
  // bug report cannot fetch anything.
  return StrCat(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:\">"
      "<link rel=\"icon\" href=\"data:,\">"
      "<title>",
      title, kPageTitleEnd, "\n<style>", ViewerStyle(), "</style></head>\n<body>",
      WithoutScripts(programs), "\n<div id=\"app\"></div>\n",
      "<script type=\"application/octet-stream\" id=\"infer-data\">", data, "</script>\n<script>",
      ViewerScript(), "</script>\n</body></html>\n");
}

}  // namespace infer
