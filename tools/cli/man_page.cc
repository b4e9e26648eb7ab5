// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/man_page.h"

#include <cctype>
#include <deque>
#include <set>
#include <utility>

#include "ir/base/strings.h"
#include "tools/cli/build_info.h"
#include "tools/cli/flag_usage.h"

namespace infer {
namespace {

std::string Upper(std::string_view text) {
  std::string upper;
  for (char c : text) upper += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return upper;
}

// Returns `text` so that troff shows it as it is. A dash becomes \-, because a plain one may be set
// as a hyphen, which cannot be pasted into a shell.
std::string Escaped(std::string_view text) {
  std::string out;
  bool line_start = true;
  for (char c : text) {
    // A dot or an apostrophe at the start of a line would be a request to troff.
    if (line_start && (c == '.' || c == '\'')) out += "\\&";
    line_start = c == '\n';
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if (c == '|') {
      out += "|\\:";  // a line may break here: lists of words are longer than a line
    } else {
      out += c;
    }
  }
  return out;
}

std::string Bold(std::string_view text) { return StrCat("\\fB", Escaped(text), "\\fR"); }

void AppendManSection(std::string* out, std::string_view title) {
  StrAppend(out, ".SH \"", Upper(title), "\"\n");
}

void AppendParagraph(std::string* out, std::string_view text) {
  StrAppend(out, ".PP\n", Escaped(text), "\n");
}

void AppendManEntry(std::string* out, std::string_view term, std::string_view text) {
  StrAppend(out, ".TP\n", Bold(term), "\n", Escaped(text), "\n");
}

void AppendFlagsOf(std::string* out, const std::deque<Flag>& flags, std::string_view section) {
  for (const Flag& flag : flags) {
    if (flag.section() == section) AppendManEntry(out, FlagSpelling(flag), FlagMeaning(flag));
  }
}

void AppendManFlags(std::string* out, const std::deque<Flag>& flags) {
  std::set<std::string> done = {std::string(kLastSection)};
  for (const Flag& flag : flags) {
    if (!done.insert(flag.section()).second) continue;
    StrAppend(out, ".SS \"", Escaped(flag.section()), "\"\n");
    AppendFlagsOf(out, flags, flag.section());
  }
}

void AppendMode(std::string* out, const Flags& tool, const Flags& mode) {
  StrAppend(out, ".SS \"", Escaped(mode.program()), "\"\n", Bold(UsageLine(tool, &mode)), "\n");
  AppendParagraph(out, mode.summary());
  for (const Flag& slot : mode.positionals()) AppendManEntry(out, slot.metavar(), slot.help());
  for (const Flag& flag : mode.flags()) AppendManEntry(out, FlagSpelling(flag), FlagMeaning(flag));
  for (const std::string& note : mode.notes()) AppendParagraph(out, note);
}

void AppendManExamples(std::string* out, const Flags& flags) {
  for (const Flags::ExampleText& example : flags.examples()) {
    AppendParagraph(out, example.comment);
    StrAppend(out, ".RS\n.nf\n", Escaped(example.command), "\n.fi\n.RE\n");
  }
}

void AppendExitCodes(std::string* out) {
  constexpr std::pair<std::string_view, std::string_view> kCodes[] = {
      {"0", "done"},
      {"1", "failed while running"},
      {"2", "the command line, environment or config is wrong"},
      {"3", "a model, graph, policy or text is missing or invalid"},
      {"4", "something does not fit: memory, or a prompt longer than the context"},
      {"5", "a device or kernel is unavailable"},
      {"6", "a comparison ran and found a difference"},
      {"130, 143", "SIGINT, SIGTERM; the output so far is on stdout"},
      {"141", "the reader of stdout has gone"},
  };
  AppendManSection(out, "Exit status");
  for (const auto& [code, meaning] : kCodes) AppendManEntry(out, code, meaning);
}

// `summary` loses its full stop: apropos and whatis show it after a dash.
std::string Head(std::string_view name, std::string_view summary) {
  if (summary.ends_with('.')) summary.remove_suffix(1);
  return StrCat(".TH \"", Upper(Escaped(name)), "\" \"1\" \"\" \"infer ", ProjectVersion(),
                "\" \"User Commands\"\n.nh\n.ad l\n.SH \"NAME\"\n", Escaped(name), " \\- ",
                Escaped(summary), "\n");
}

}  // namespace

std::string ManPage(const Flags& flags) {
  std::string out = Head(flags.program(), flags.summary());
  AppendManSection(&out, "Synopsis");
  std::vector<std::string> usage;
  if (flags.modes().empty() || !flags.positionals().empty()) {
    usage.push_back(UsageLine(flags, nullptr));
  }
  for (const Flags& mode : flags.modes()) usage.push_back(UsageLine(flags, &mode));
  for (size_t i = 0; i < usage.size(); ++i) {
    StrAppend(&out, i == 0 ? "" : ".br\n", Bold(usage[i]), "\n");
  }
  AppendManSection(&out, "Options");
  for (const Flag& slot : flags.positionals()) AppendManEntry(&out, slot.metavar(), slot.help());
  AppendManFlags(&out, flags.flags());
  StrAppend(&out, ".SS \"", kLastSection, "\"\n");
  AppendFlagsOf(&out, flags.flags(), kLastSection);
  if (!flags.modes().empty()) AppendManSection(&out, "Modes");
  for (const Flags& mode : flags.modes()) AppendMode(&out, flags, mode);
  if (!flags.notes().empty()) AppendManSection(&out, "Notes");
  for (const std::string& note : flags.notes()) AppendParagraph(&out, note);
  AppendManSection(&out, "Environment");
  AppendParagraph(&out,
                  "Every flag can also be set as INFER_<FLAG> (--log-file is INFER_LOG_FILE) or as "
                  "a key of --config; the command line wins over the environment, the environment "
                  "over the file.");
  AppendExitCodes(&out);
  bool examples = !flags.examples().empty();
  for (const Flags& mode : flags.modes()) examples = examples || !mode.examples().empty();
  if (examples) AppendManSection(&out, "Examples");
  AppendManExamples(&out, flags);
  for (const Flags& mode : flags.modes()) AppendManExamples(&out, mode);
  AppendManSection(&out, "See also");
  StrAppend(&out, ".BR infer (1)\n");
  return out;
}

std::string UmbrellaManPage(std::span<const ListedTool> tools) {
  std::string out = Head("infer", "compile language models into a graph and run it");
  AppendManSection(&out, "Synopsis");
  StrAppend(&out, Bold("infer TOOL [flags]"), "\n.br\n", Bold("infer help TOOL"), "\n");
  AppendManSection(&out, "Tools");
  for (const ListedTool& tool : tools) {
    AppendManEntry(&out, StrCat("infer ", tool.subcommand, ", ", tool.name), tool.summary);
  }
  AppendExitCodes(&out);
  AppendManSection(&out, "See also");
  for (size_t i = 0; i < tools.size(); ++i) {
    StrAppend(&out, ".BR ", Escaped(tools[i].name), " (1)", i + 1 < tools.size() ? "," : "", "\n");
  }
  return out;
}

}  // namespace infer
