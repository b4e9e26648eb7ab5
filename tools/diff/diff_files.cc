// SPDX-License-Identifier: Apache-2.0
#include "tools/diff/diff_files.h"

#include <memory>

#include "backends/backends.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "tools/api/program_file.h"
#include "tools/cli/exit_code.h"
#include "tools/diff/diff.h"

namespace infer {

absl::Status DiffFiles(const std::vector<std::string>& programs, std::string_view format,
                       const std::vector<std::string>& fail_on, const std::string& output,
                       ToolContext& context) {
  ASSIGN_OR_RETURN(Program a, ReadProgramFile(programs[0]));
  ASSIGN_OR_RETURN(Program b, ReadProgramFile(programs[1]));
  std::unique_ptr<KernelRegistry> registry = MakeKernelRegistry();
  ASSIGN_OR_RETURN(ProgramDiff diff, DiffPrograms(programs[0], a, programs[1], b, *registry));
  ASSIGN_OR_RETURN(std::unique_ptr<AtomicFile> file, context.OpenOutput(output));
  RETURN_IF_ERROR(file->Write(format == "json" ? ToJson(diff) : ToText(diff)));
  RETURN_IF_ERROR(file->Commit());
  for (const std::string& part : fail_on) {
    bool differs = part == "placement" ? diff.placement_differs()
                   : part == "graph"   ? diff.graph_differs()
                                       : diff.memory_differs();
    if (!differs) continue;
    return VerificationFailed(StrCat("--fail-on ", part, ": ", programs[0], " and ", programs[1],
                                     " differ; the report shows where"));
  }
  return absl::OkStatus();
}

}  // namespace infer
