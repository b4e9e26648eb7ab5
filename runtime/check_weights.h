// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "absl/status/status.h"
#include "ir/program/program.h"
#include "ir/program/weight_source.h"

namespace infer {

enum class WeightCheck {
  kSampled,  // sizes, header hash and a few pages of every weight; takes milliseconds
  kFull,     // also every byte of each weight whose full hash the Program stores
};

// Checks that `weights` is the model that the Program was compiled from. The error says what
// differs. Detects another model or a damaged file, not deliberate forgery.
absl::Status CheckWeights(const Program& program, const WeightSource& weights, WeightCheck check);

}  // namespace infer
