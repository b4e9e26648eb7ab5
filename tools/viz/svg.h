// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "tools/viz/layer_picture.h"

namespace infer {

// A drawing that stands alone, for papers and pages: no script, no fonts from elsewhere.
std::string SvgText(const Picture& picture);

// Text between tags or in quotes.
std::string XmlText(std::string_view text);

}  // namespace infer
