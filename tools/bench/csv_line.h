// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ir/base/json.h"

namespace infer {

// Formats the names or the values of an object as a line of CSV.
std::string CsvLine(const Json& record, bool names);

}  // namespace infer
