// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace infer {

// Formats the names or the values of an object as a line of CSV.
std::string CsvLine(const nlohmann::ordered_json& record, bool names);

}  // namespace infer
