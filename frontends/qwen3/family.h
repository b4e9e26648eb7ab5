// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "frontends/family/model_family.h"

namespace infer {

// Dense Qwen3 of every size.
extern const ModelFamily kQwen3Family;

}  // namespace infer
