// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "ir/base/status_macros.h"
#include "runtime/profile.h"
#include "tools/api/input.h"
#include "tools/api/program_file.h"
#include "tools/cli/tool.h"
#include "tools/profile/profile_estimates.h"
#include "tools/profile/profile_text.h"

namespace infer {
namespace {

enum class ProfileForm { kText, kJson };

absl::Status ProfileMain(ToolContext& context) {
  std::string file;
  std::string graph;
  ProfileForm form = ProfileForm::kText;
  int64_t lines = kDefaultProfileLines;
  Flags flags("infer-profile", "Print a profile written by infer-run --profile.");
  flags.Positional("FILE", &file, "profile").Required();
  flags.Text("-g,--graph", &graph, "FILE",
             "the Program that was run: the profile is checked against it, and the estimates are "
             "its own instead of those of the run");
  flags.Enum("--format", &form, {{"text", ProfileForm::kText}, {"json", ProfileForm::kJson}},
             "text: the nodes that took longest, identical layers as one; json: every node");
  flags.Int("--lines", &lines, "N", "nodes shown for each size of call; 0 shows all").Min(0);
  flags.Example("infer-run -p Hello -n 64 --profile p.pb && infer-profile p.pb",
                "See where the time goes.");
  ASSIGN_OR_RETURN(bool proceed, context.Parse(flags));
  if (!proceed) return absl::OkStatus();
  ASSIGN_OR_RETURN(std::string bytes, ReadInput(file, kMaxProfileFileBytes));
  ASSIGN_OR_RETURN(Profile profile, DeserializeProfile(bytes, file));
  if (!graph.empty()) {
    ASSIGN_OR_RETURN(Program program, ReadProgramFile(graph));
    RETURN_IF_ERROR(CheckProfileOf(program, profile, file));
    RETURN_IF_ERROR(EstimateProfile(program, &profile));
  }
  std::string text =
      form == ProfileForm::kText ? ProfileText(profile, lines) : ProfileJson(profile);
  return context.out().Write(text + "\n");
}

}  // namespace

extern const Tool kInferProfile = {"infer-profile", "profile", "Print what a profiled run measured",
                                   ProfileMain};

}  // namespace infer
