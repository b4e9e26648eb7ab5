// SPDX-License-Identifier: Apache-2.0
#include "ir/base/status_macros.h"
#include "tools/cli/build_info.h"
#include "tools/cli/tool.h"

namespace infer {
namespace {

absl::Status VersionMain(ToolContext& context) {
  Flags flags("infer-version", "Print version, compiler, build type, back ends and CPU features.");
  flags.Example("infer version", "The same as infer --version.");
  ASSIGN_OR_RETURN(bool proceed, context.Parse(flags));
  if (!proceed) return absl::OkStatus();
  return context.out().Write(VersionText());
}

}  // namespace

extern const Tool kInferVersion = {"infer-version", "version", "Print version and build",
                                   VersionMain};

}  // namespace infer
