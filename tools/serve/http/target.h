// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tools/serve/http/problem.h"

namespace infer::http {

// Splits a request target such as "/v1/models?limit=2" into the decoded path and the query as sent.
// Refuses targets that do not begin with '/', wrong percent-encoding, and paths that decode to
// control characters or to bytes that are not UTF-8.
std::optional<Problem> SplitTarget(std::string_view target, std::string* path, std::string* query);

}  // namespace infer::http
