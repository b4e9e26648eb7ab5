// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "frontends/family/model_family.h"

namespace infer {

// Returns every family that this build supports.
std::span<const ModelFamily* const> AllFamilies();

}  // namespace infer
