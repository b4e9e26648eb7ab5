// SPDX-License-Identifier: Apache-2.0
//
// Any text as a config file of the tools: refused with an error that names the file, or a list of
// texts for each flag.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tools/cli/config_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t bytes) {
  const std::string_view text(reinterpret_cast<const char*>(data), bytes);
  const absl::StatusOr<infer::ConfigValues> values = infer::ParseConfig(text, "fuzz.json");
  if (values.ok()) {
    for (const auto& [name, texts] : *values) {
      if (name.find('_') != std::string_view::npos) std::abort();
    }
  } else if (values.status().message().substr(0, 9) != "fuzz.json") {
    std::abort();
  }
  return 0;
}
