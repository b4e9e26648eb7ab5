// SPDX-License-Identifier: Apache-2.0
//
// Any text as a machine description: refused with one line, or printed to a text that reads back to
// the same description.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "ir/policy/machine_text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t bytes) {
  const std::string_view text(reinterpret_cast<const char*>(data), bytes);
  const absl::StatusOr<infer::MachineDescription> machine = infer::ParseMachine(text, "fuzz");
  if (!machine.ok()) {
    if (machine.status().message().empty()) std::abort();
    return 0;
  }
  const std::string printed = infer::PrintMachine(*machine);
  const absl::StatusOr<infer::MachineDescription> again = infer::ParseMachine(printed, "again");
  if (!again.ok() || infer::PrintMachine(*again) != printed) std::abort();
  return 0;
}
