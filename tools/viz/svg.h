// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "tools/viz/layer_picture.h"

namespace infer {

// Returns a self-contained drawing for papers and pages: no scripts, no external fonts.
std::string SvgText(const Picture& picture);

// Escapes text between tags or in quotes.
std::string XmlText(std::string_view text);

}  // namespace infer
