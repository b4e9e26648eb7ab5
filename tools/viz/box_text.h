// SPDX-License-Identifier: Apache-2.0
//
// The text of a box in a drawing, and the size that it needs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/viz/layer_picture.h"
#include "tools/viz/layout.h"

namespace infer {

inline constexpr double kBoxLineHeight = 15;
inline constexpr double kBoxPadding = 12;
inline constexpr double kBoxBarWidth = 5;  // bar in the target's colour, at the left of a box

// Estimates slightly too wide: an SVG does not know which font it gets.
double TextWidth(std::string_view text, double font_size, bool mono = false);

struct BoxLine {
  std::string text;
  std::string_view css;  // class of the style sheet
  double font_size = 0;
  bool mono = false;
};
std::vector<BoxLine> BoxLines(const PictureNode& node);  // top to bottom

LayoutNode BoxSize(const PictureNode& node);

}  // namespace infer
