// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ir/base/json.h"
#include "tools/serve/api/parameter.h"

namespace infer::serve {

// Parameters that all APIs share: sampling, the model, the cache, and what is accepted without
// effect.
ParameterTable SamplingParameters();

// Reads strings that end an answer: one, or a list.
absl::Status ReadStop(const Json& value, std::string_view path, GenerationRequest* request);

}  // namespace infer::serve
