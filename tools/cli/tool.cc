// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/tool.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <string_view>
#include <thread>

#include "backends/simd/levels/choose_level.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "tools/cli/build_info.h"
#include "tools/cli/completion.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/flag_advice.h"
#include "tools/cli/help_text.h"
#include "tools/cli/man_page.h"
#include "tools/cli/uncaught_exception.h"

namespace infer {
namespace {

absl::Status CallMain(const Tool& tool, ToolContext& context) {
  try {
    return tool.main(context);
  } catch (...) {
    return StatusOfException(tool.name);
  }
}

// Applies the log level of the environment to what -q and -v leave open.
absl::Status ApplyLogLevel(const std::string& level, bool verbosity_given,
                           ConsoleOptions* options) {
  constexpr std::string_view kLevels[] = {"info", "verbose", "debug", "trace"};
  if (level.empty()) return absl::OkStatus();
  if (level == "error") {
    if (!verbosity_given) options->quiet = true;
    return absl::OkStatus();
  }
  const auto* found = std::ranges::find(kLevels, level);
  if (found == std::end(kLevels)) {
    return UsageError(StrCat("INFER_LOG=", level,
                             " is not a log level; use error, info, verbose, debug or trace"));
  }
  if (!verbosity_given) options->verbosity = static_cast<int>(found - std::begin(kLevels));
  return absl::OkStatus();
}

void AddEnvNames(const Flags& flags, EnvNames* names) {
  for (const Flag& flag : flags.flags()) names->insert(flag.env_name());
  for (const Flags& mode : flags.modes()) AddEnvNames(mode, names);
}

// Ranks that fail before they have met usually fail alike. The first reports it, and the launcher
// then asks the others to end; one that is not asked has failed alone.
bool Rank0Reports(ToolContext& context) {
  constexpr std::chrono::milliseconds kTurn{20};
  for (int i = 0; i < 75 && !context.interrupt().requested(); ++i) {
    std::this_thread::sleep_for(kTurn);
  }
  return context.interrupt().requested();
}

}  // namespace

absl::StatusOr<bool> ToolContext::Parse(Flags& flags) {
  ConsoleOptions options;
  flags.Section("General");
  flags.Bool("-q,--quiet", &options.quiet, "print only errors and requested reports on stderr");
  flags.Count("-v,--verbose", &options.verbosity, "print more on stderr; -vv prints still more");
  flags.Text("--log-file", &options.log_file, "FILE", "append the log to this file too");
  flags.Enum(
      "--color", &options.color,
      {{"auto", ColorMode::kAuto}, {"always", ColorMode::kAlways}, {"never", ColorMode::kNever}},
      "use colours on stderr; auto: if it is a terminal and NO_COLOR is not set");
  AddEnvNames(flags, &known_env_);
  ASSIGN_OR_RETURN(ParseAction action, flags.Parse(args_, env_));
  for (const Flag* flag : flags.ActiveFlags()) flag_names_.insert(std::string(flag->name()));
  switch (action) {
    case ParseAction::kHelp:
      RETURN_IF_ERROR(out_.Write(HelpText(flags, out_.columns())));
      return false;
    case ParseAction::kManPage:
      RETURN_IF_ERROR(out_.Write(ManPage(flags)));
      return false;
    case ParseAction::kCompletion:
      RETURN_IF_ERROR(out_.Write(CompletionScript(flags, flags.completion_shell())));
      return false;
    case ParseAction::kPrintConfig:
      RETURN_IF_ERROR(out_.Write(ConfigText(flags)));
      return false;
    case ParseAction::kVersion:
      RETURN_IF_ERROR(out_.Write(VersionText()));
      return false;
    case ParseAction::kRun:
      break;
  }
  // Checked after --help and the like, which must work whatever the environment holds.
  if (simd::LevelChoice cpu = simd::ChooseLevel(env_("INFER_CPU").value_or("")); !cpu.valid) {
    return UsageError(cpu.reason);
  }
  RETURN_IF_ERROR(
      ApplyLogLevel(env_("INFER_LOG").value_or(""), flags.Given("--verbose"), &options));
  // Of the ranks of a divided run, the first talks.
  if (follows()) options.quiet = true;
  RETURN_IF_ERROR(console_.Configure(options, !env_("NO_COLOR").value_or("").empty()));
  WarnAboutEnvironment();
  return true;
}

void ToolContext::WarnAboutEnvironment() {
  const auto others = [this] {
    EnvNames names;
    for (const Tool* tool : io_.tools) {
      // Registers the flags; the help stays in the context's buffer.
      ToolContext other({"--help"}, io_);
      tool->main(other).IgnoreError();
      names.insert(other.known_env().begin(), other.known_env().end());
    }
    return names;
  };
  for (const std::string& text : UnknownEnvWarnings(io_.env_names, known_env_, others)) {
    console_.Warning(text);
  }
}

int RunTool(const Tool& tool, std::vector<std::string> args, const ToolIo& io) {
  ToolContext context(std::move(args), io);
  absl::Status status = context.End(CallMain(tool, context));
  absl::Status flushed = context.out().Finish();
  if (status.ok()) status = flushed;
  if (IsQuiet(status)) return ExitCodeFor(status);
  if (status.ok() || absl::IsCancelled(status)) {
    // Uses the signal that arrived, so that SIGTERM ends in 143 whoever noticed it.
    if (context.interrupt().requested()) status = context.interrupt().Check();
  }
  if (!status.ok() && !context.has_end() && context.follows() && Rank0Reports(context)) {
    return ExitCodeFor(status);
  }
  // `infer-run | head` is no failure: the process ends as SIGPIPE would have ended it.
  if (!status.ok() && ExitCodeFor(status) != kExitClosedPipe) {
    auto has_flag = [&](std::string_view name) { return context.HasFlag(name); };
    context.console().Error(WithFlagAdvice(status, has_flag));
  }
  return ExitCodeFor(status);
}

}  // namespace infer
