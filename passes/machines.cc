// SPDX-License-Identifier: Apache-2.0
#include "passes/machines.h"

#include <fstream>
#include <string>

#include "ir/base/advice.h"
#include "ir/base/strings.h"
#include "ir/policy/machine_text.h"

namespace infer {

absl::StatusOr<MachineDescription> LoadMachine(std::string_view path) {
  if (path.empty() || path == "generic") {
    return ParseMachine(GenericMachineText(), "machine generic");
  }
  std::ifstream file{std::string(path)};
  // One byte more than a description may have, so that ParseMachine reports a file that is too
  // large.
  std::string text(kMaxMachineBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.is_open() || file.bad()) {
    return WithAdvice(
        absl::NotFoundError(StrCat("machine ", path, " cannot be read; use generic, or calibrate")),
        {Advice::kCalibrate});
  }
  text.resize(static_cast<size_t>(file.gcount()));
  return ParseMachine(text, path);
}

Machine RecordOf(const MachineDescription& machine) {
  return {PrintMachine(machine),
          machine.calibrated ? Machine::Origin::kCalibrated : Machine::Origin::kGeneric};
}

}  // namespace infer
