// SPDX-License-Identifier: Apache-2.0
#include "tools/passes/pass_flags.h"

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "passes/registry.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/flag_text.h"

namespace infer {
namespace {

absl::Status AsUsage(std::string_view flag, const absl::Status& status) {
  return status.ok() ? status : UsageError(StrCat(flag, ": ", ToStd(status.message())));
}

absl::Status CompleteDumps(std::string_view flag, std::vector<std::string>* names) {
  *names = SplitNames(*names);
  for (const std::string& name : *names) {
    if (name != "all") RETURN_IF_ERROR(AsUsage(flag, FindPass(name).status()));
  }
  return absl::OkStatus();
}

}  // namespace

std::vector<std::string> SplitNames(const std::vector<std::string>& lists) {
  std::vector<std::string> names;
  for (const std::string& list : lists) {
    for (std::string& name : SplitWords(list, ',')) {
      std::erase(name, ' ');  // "a, b": no pass has a space in its name
      if (!name.empty()) names.push_back(std::move(name));
    }
  }
  return names;
}

void RegisterSkip(Flags& flags, std::vector<std::string>* skip) {
  flags.TextList("--skip", skip, "PASS,PASS",
                 "skip these passes; infer-opt --list-passes lists them");
}

void RegisterPassFlags(Flags& flags, PassFlags* options) {
  flags.TextList("--dump-before", &options->dump_before, "PASS|all",
                 "write the graph before this pass to a text file in --dump-dir");
  flags.TextList("--dump-after", &options->dump_after, "PASS|all",
                 "write the graph after this pass to a text file in --dump-dir");
  flags.Text("--dump-dir", &options->dump_dir, "DIR", "folder for dumps; created if missing");
  flags.Bool("--print-pass-times", &options->print_times, "print a table of the passes on stderr");
  flags.Text(
      "--pass-log", &options->log, "FILE",
      "write JSON: each pass with its time, its node counts and the graphs before and after it");
}

absl::Status CompleteSkip(std::vector<std::string>* skip) {
  *skip = SplitNames(*skip);
  return AsUsage("--skip", CheckSkip(*skip));
}

absl::Status CompletePassFlags(PassFlags* options) {
  RETURN_IF_ERROR(CompleteDumps("--dump-before", &options->dump_before));
  RETURN_IF_ERROR(CompleteDumps("--dump-after", &options->dump_after));
  bool dumps = !options->dump_before.empty() || !options->dump_after.empty();
  if (dumps && options->dump_dir.empty()) {
    return UsageError("dumps are files; name their folder with --dump-dir");
  }
  if (!dumps && !options->dump_dir.empty()) {
    return UsageError(
        "--dump-dir by itself dumps nothing; add --dump-after PASS or --dump-after all");
  }
  return absl::OkStatus();
}

}  // namespace infer
