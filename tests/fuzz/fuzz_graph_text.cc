// SPDX-License-Identifier: Apache-2.0
//
// Any text is refused or read; what was read prints to a text that reads back to itself.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "ir/text/parser.h"
#include "ir/text/printer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t num_bytes) {
  std::string_view text(reinterpret_cast<const char*>(data), num_bytes);
  absl::StatusOr<infer::Graph> graph = infer::ParseGraph(text);
  if (!graph.ok()) return 0;
  std::string printed = infer::PrintGraph(*graph);
  absl::StatusOr<infer::Graph> again = infer::ParseGraph(printed);
  if (!again.ok() || infer::PrintGraph(*again) != printed) std::abort();
  return 0;
}
