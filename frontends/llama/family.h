// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "frontends/family/model_family.h"

namespace infer {

extern const ModelFamily kLlamaFamily;

}  // namespace infer
