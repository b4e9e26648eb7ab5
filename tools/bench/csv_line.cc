// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/csv_line.h"

#include "ir/base/strings.h"

namespace infer {

std::string CsvLine(const nlohmann::ordered_json& record, bool names) {
  std::string line;
  for (const auto& [name, value] : record.items()) {
    StrAppend(&line, line.empty() ? "" : ",", names ? name : value.dump());
  }
  return line + "\n";
}

}  // namespace infer
