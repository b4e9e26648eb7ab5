// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/viz/viz_json.h"

namespace infer {

// Returns a self-contained page: the viewer of page/dist, the document of VizJson, and for readers
// without scripts a table and a drawing of a layer.
std::string HtmlText(const std::vector<NamedProgram>& programs);

// Ends the title of every page, by which one is told from other files.
inline constexpr std::string_view kPageTitleEnd = " - infer-viz</title>";

// The viewer files, embedded at build time.
std::string ViewerScript();
std::string ViewerStyle();

}  // namespace infer
