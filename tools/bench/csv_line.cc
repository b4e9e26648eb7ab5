// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/csv_line.h"

#include "ir/base/json.h"
#include "ir/base/strings.h"

namespace infer {

std::string CsvLine(const Json& record, bool names) {
  std::string line;
  for (const auto& [name, value] : record.items()) {
    StrAppend(&line, line.empty() ? "" : ",", names ? name : JsonText(value));
  }
  return line + "\n";
}

}  // namespace infer
