// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/dispatch.h"

#include "absl/strings/str_format.h"
#include "ir/base/nearest.h"
#include "ir/base/strings.h"
#include "tools/cli/build_info.h"
#include "tools/cli/completion.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/help_text.h"
#include "tools/cli/man_page.h"

namespace infer {
namespace {

const Tool* FindTool(std::span<const Tool* const> tools, std::string_view word) {
  for (const Tool* tool : tools) {
    if (word == tool->name || word == tool->subcommand) return tool;
  }
  return nullptr;
}

absl::Status UnknownTool(std::span<const Tool* const> tools, std::string_view word) {
  std::vector<std::string> names;
  for (const Tool* tool : tools) {
    names.emplace_back(tool->subcommand);
    names.emplace_back(tool->name);
  }
  return UsageError(
      StrCat("infer: '", word, "' is not a tool", DidYouMean(word, names), "; see infer --help"));
}

std::vector<SubcommandName> SubcommandNames(std::span<const Tool* const> tools) {
  std::vector<SubcommandName> names;
  for (const Tool* tool : tools) {
    names.push_back({std::string(tool->subcommand), std::string(tool->name)});
  }
  return names;
}

std::string ManPageOf(std::span<const Tool* const> tools) {
  std::vector<ListedTool> listed;
  for (const Tool* tool : tools) listed.push_back({tool->name, tool->subcommand, tool->summary});
  return UmbrellaManPage(listed);
}

// Returns the text that `infer` itself prints, or the error.
absl::StatusOr<std::string> OwnText(const std::vector<std::string>& args,
                                    std::span<const Tool* const> tools, size_t columns) {
  if (args.empty() || args[0] == "help" || args[0] == "--help" || args[0] == "-h") {
    if (args.size() > 1) return UnknownTool(tools, args[1]);
    return ToolListText(tools, columns);
  }
  if (args[0] == "--version") return VersionText();
  if (args[0] == "--man") return ManPageOf(tools);
  if (args[0] == "--completion") {
    std::string shell = args.size() > 1 ? args[1] : "";
    if (shell != "bash" && shell != "zsh" && shell != "fish") {
      return UsageError("infer: --completion needs one of bash, zsh, fish");
    }
    return UmbrellaCompletionScript(SubcommandNames(tools), shell);
  }
  return UnknownTool(tools, args[0]);
}

int PrintOwnText(const std::vector<std::string>& args, std::span<const Tool* const> tools,
                 const ToolIo& io) {
  ProductOutput out(io.out_fd);
  absl::StatusOr<std::string> text = OwnText(args, tools, out.columns());
  absl::Status status = text.status();
  if (text.ok()) status = out.Stream(*text);
  if (!status.ok()) PrintError(io.err_fd, status);
  return ExitCodeFor(status);
}

}  // namespace

std::string ToolListText(std::span<const Tool* const> tools, size_t columns) {
  // Both names, or the one to type where a summary would have no room beside them.
  const bool is_wide = columns >= 84;
  std::string out;
  AppendWords(&out, "infer: compile language models into a graph and run it.", 0, 0, columns);
  out += "\nTOOLS\n";
  for (const Tool* tool : tools) {
    const std::string name = StrCat("infer ", tool->subcommand);
    AppendTableRow(&out, is_wide ? absl::StrFormat("%-16s %s", tool->name, name) : name,
                   tool->summary, is_wide ? 36 : 18, columns);
  }
  out +=
      "\nEXAMPLES\n"
      "  infer run -p \"Once upon a time\"\n"
      "  infer compile -m model.gguf --emit text -o -\n\n";
  AppendWords(&out, "`infer help TOOL` prints a tool's flags, `infer --version` the build.", 0, 0,
              columns);
  return out;
}

int InferMain(std::string_view argv0, const std::vector<std::string>& args,
              std::span<const Tool* const> tools, const ToolIo& io) {
  std::string_view name = argv0.substr(argv0.rfind('/') + 1);  // npos + 1 is 0
  if (const Tool* tool = FindTool(tools, name)) return RunTool(*tool, args, io);
  // A link to a tool that does not exist, rather than the binary under another name.
  if (name.starts_with("infer-") || name.starts_with("gguf-")) {
    return PrintOwnText({std::string(name)}, tools, io);
  }
  if (args.empty()) return PrintOwnText(args, tools, io);
  std::vector<std::string> rest(args.begin() + 1, args.end());
  if (const Tool* tool = FindTool(tools, args[0])) return RunTool(*tool, rest, io);
  if (args[0] == "help" && !rest.empty()) {
    if (const Tool* tool = FindTool(tools, rest[0])) {
      rest[0] = "--help";
      return RunTool(*tool, rest, io);
    }
  }
  int code = PrintOwnText(args, tools, io);
  if (code == kExitOk && args[0] == "--completion") {
    for (const Tool* tool : tools) RunTool(*tool, {"--completion", rest[0]}, io);
  }
  return code;
}

}  // namespace infer
