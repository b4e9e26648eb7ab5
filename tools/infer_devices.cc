// SPDX-License-Identifier: Apache-2.0
#include "backends/backends.h"
#include "ir/base/status_macros.h"
#include "tools/cli/tool.h"
#include "tools/devices/device_report.h"

namespace infer {
namespace {

absl::Status DevicesMain(ToolContext& context) {
  std::string format = "text";
  Flags flags("infer-devices", "Show what this machine can run models on, and why that is chosen.");
  flags.Section("Output");
  flags.Choice("--format", &format, {"text", "json"}, "format of the report");
  flags.Note(
      "INFER_CPU=scalar|neon|dotprod|i8mm|avx2|avxvnni|avx512|amx in the environment makes every "
      "tool use "
      "that CPU level instead of the best one.");
  flags.Example("infer devices", "Which instructions and how many threads will be used?");
  flags.Example("infer devices --format json", "The same for programs.");
  ASSIGN_OR_RETURN(bool proceed, context.Parse(flags));
  if (!proceed) return absl::OkStatus();
  const DeviceReport report = DescribeDevices(*MakeKernelRegistry());
  return context.out().Write(format == "json" ? ToJson(report) : ToText(report));
}

}  // namespace

extern const Tool kInferDevices = {"infer-devices", "devices",
                                   "Show targets, CPU level, threads and memory", DevicesMain};

}  // namespace infer
