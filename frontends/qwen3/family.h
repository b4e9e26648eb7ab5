// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "frontends/family/model_family.h"

namespace infer {

// Dense Qwen3 of every size.
extern const ModelFamily kQwen3Family;
// Qwen3 MoE: feed-forward blocks of experts, of which each token uses a few.
extern const ModelFamily kQwen3MoeFamily;

}  // namespace infer
