// SPDX-License-Identifier: Apache-2.0
//
// How pictures, pages and terminals show a target.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "ir/graph/target.h"

namespace infer {

// Colours that colour-blind readers can distinguish (Okabe and Ito), and a border, so that colour
// is never the only cue.
struct TargetLook {
  std::string_view terminal = {};  // SGR code
  std::string_view stroke = {}, fill = {};
  std::string_view dark_stroke = {}, dark_fill = {};
  std::string_view dash = {};  // dash pattern of the border in SVG syntax; empty: solid
  double border = 1;           // border width
};

// In the order of kTargets.
inline constexpr std::array<TargetLook, kNumTargets> kTargetLooks = {{
    {"37", "#6b7280", "#f1f2f4", "#a3abb8", "#2a2f38", "", 1.25},     // scalar
    {"34", "#0072b2", "#e4f0f8", "#56b4e9", "#15303f", "6 3", 1.5},   // simd
    {"32", "#00845f", "#e2f4ed", "#3fc79a", "#12352b", "", 2.5},      // parallel
    {"35", "#b0478a", "#f9e8f2", "#e58bc2", "#3a2133", "2 3", 2},     // metal
    {"33", "#7a6f00", "#f5f2d8", "#d6c84a", "#36320f", "1 2", 1.5},   // test
    {"31", "#b35900", "#fbeadb", "#e69f00", "#3a2a12", "8 2", 2},     // ranks
    {"36", "#5b4bbf", "#ebe8f9", "#a79bf0", "#26214a", "8 3 2 3", 2}  // cuda
}};
static_assert(!kTargetLooks.back().stroke.empty(), "every target has a look");

constexpr const TargetLook& LookOf(Target target) {
  return kTargetLooks[static_cast<size_t>(target)];
}

}  // namespace infer
