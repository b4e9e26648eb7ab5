// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tools/viz/layer_picture.h"

namespace infer {

// Returns input for Graphviz: boxes in the colours of their targets, clusters for the parts of a
// layer.
std::string DotText(const Picture& picture);

}  // namespace infer
