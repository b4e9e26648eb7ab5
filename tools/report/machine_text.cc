// SPDX-License-Identifier: Apache-2.0
#include "tools/report/machine_text.h"

#include <optional>

#include "absl/strings/escaping.h"
#include "ir/base/strings.h"
#include "ir/policy/machine.h"
#include "ir/policy/machine_text.h"

namespace infer {
namespace {

std::optional<MachineDescription> DescriptionOf(const Machine& machine) {
  absl::StatusOr<MachineDescription> read = ParseMachine(machine.text, "machine");
  if (!read.ok()) return std::nullopt;
  // The name comes from a file and must not reach a terminal unescaped.
  read->name = absl::Utf8SafeCHexEscape(read->name);
  return *std::move(read);
}

std::string Threads(int64_t count) { return StrCat(count, count == 1 ? " thread" : " threads"); }

}  // namespace

std::string MachineText(const Machine& machine) {
  const std::optional<MachineDescription> of = DescriptionOf(machine);
  if (!of) return "";
  if (of->calibrated) {
    return StrCat(of->name, ", as measured with ", Threads(of->threads),
                  "; estimates hold for that number alone");
  }
  return StrCat(of->name, ", made up for ", Threads(of->threads),
                ": estimates are rough; calibrate to measure this machine");
}

int64_t MachineThreads(const Machine& machine) {
  const std::optional<MachineDescription> of = DescriptionOf(machine);
  return of ? of->threads : 0;
}

std::string OtherThreadsWarning(const Machine& machine, int64_t threads) {
  if (machine.origin != Machine::Origin::kCalibrated) return "";
  const std::optional<MachineDescription> of = DescriptionOf(machine);
  if (!of || of->threads == threads) return "";
  return StrCat("the machine description ", of->name, " was measured with ", Threads(of->threads),
                ", this run has ", threads,
                ": its estimates do not hold; calibrate for that number");
}

}  // namespace infer
