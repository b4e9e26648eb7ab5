// SPDX-License-Identifier: Apache-2.0
//
// What the server tells about itself.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/serve/api/served_model.h"
#include "tools/serve/api/token_runner.h"

namespace infer::serve {

// A range of call sizes and how many nodes run where in it, for the live view.
struct RegimeSummary {
  int64_t min_tokens = 0;
  int64_t max_tokens = 0;
  std::vector<std::pair<std::string, int64_t>> targets = {};
};

// One model as GET /v1/models/{name} shows it, and the list of all its names.
std::string ModelJson(const ServedModel& model, std::string_view name);
std::string ModelsJson(const ServedModel& model);

std::string PropsJson(const ServedModel& model, std::string_view version);

// See the README for the fields. `since` is the number of the first step to show.
std::string LiveJson(const ServedModel& model, const TokenRunner& runner,
                     const std::vector<RegimeSummary>& regimes, double uptime_ms, uint64_t since);

}  // namespace infer::serve
