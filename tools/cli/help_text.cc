// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/help_text.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>
#include <vector>

#include "absl/strings/str_format.h"
#include "ir/base/strings.h"
#include "tools/cli/flag_usage.h"

namespace infer {
namespace {

constexpr size_t kHelpColumn = 30;

void AppendEntry(std::string* out, std::string_view left, std::string_view right, size_t columns) {
  AppendTableRow(out, left, right, kHelpColumn, columns);
}

void AppendHeading(std::string* out, std::string_view title) {
  *out += '\n';
  for (char c : title) *out += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  *out += '\n';
}

void AppendSection(std::string* out, const Flags& flags, std::string_view section, size_t columns) {
  AppendHeading(out, section);
  for (const Flag* flag : flags.ActiveFlags()) {
    if (flag->section() == section) {
      AppendEntry(out, FlagSpelling(*flag), FlagMeaning(*flag), columns);
    }
  }
}

void AppendFlags(std::string* out, const Flags& flags, size_t columns) {
  std::set<std::string> done = {std::string(kLastSection)};
  for (const Flag* flag : flags.ActiveFlags()) {
    if (done.insert(flag->section()).second) AppendSection(out, flags, flag->section(), columns);
  }
  AppendSection(out, flags, kLastSection, columns);
}

void AppendExamples(std::string* out, const Flags& flags) {
  if (flags.examples().empty()) return;
  AppendHeading(out, "Examples");
  for (const Flags::ExampleText& example : flags.examples()) {
    StrAppend(out, "  ", example.command, "\n");
    if (!example.comment.empty()) StrAppend(out, "      ", example.comment, "\n");
  }
}

}  // namespace

void AppendWords(std::string* out, std::string_view text, size_t column, size_t indent,
                 size_t columns) {
  for (const std::string& word : SplitWords(text, ' ')) {
    bool first = column == indent;
    if (!first && column + 1 + word.size() > columns) {
      StrAppend(out, "\n", std::string(indent, ' '), word);
      column = indent + word.size();
      continue;
    }
    StrAppend(out, first ? "" : " ", word);
    column += word.size() + (first ? 0 : 1);
  }
  *out += '\n';
}

void AppendTableRow(std::string* out, std::string_view left, std::string_view right,
                    size_t right_column, size_t columns) {
  std::string line = StrCat("  ", left);
  // Two blanks between the columns; a long left side gets a line of its own.
  if (line.size() + 2 > right_column) {
    StrAppend(out, line, "\n", std::string(right_column, ' '));
  } else {
    StrAppend(out, line, std::string(right_column - line.size(), ' '));
  }
  AppendWords(out, right, right_column, right_column, columns);
}

std::string HelpText(const Flags& flags, size_t columns) {
  const Flags* mode = flags.active_mode();
  const Flags& subject = mode != nullptr ? *mode : flags;
  bool named_mode = mode != nullptr && mode->program() != flags.default_mode();
  std::string out = StrCat(flags.program(), named_mode ? StrCat(" ", mode->program()) : "", ": ",
                           named_mode ? mode->summary() : flags.summary(), "\n");
  AppendHeading(&out, "Usage");
  if (named_mode || flags.modes().empty()) {
    out += StrCat("  ", UsageLine(flags, mode), "\n");
  } else {
    if (!flags.positionals().empty()) out += StrCat("  ", UsageLine(flags, nullptr), "\n");
    for (const Flags& listed : flags.modes()) out += StrCat("  ", UsageLine(flags, &listed), "\n");
    AppendHeading(&out, "Modes");
    for (const Flags& listed : flags.modes()) {
      AppendEntry(&out, listed.program(), listed.summary(), columns);
    }
  }
  if (!subject.positionals().empty()) AppendHeading(&out, "Arguments");
  for (const Flag& slot : subject.positionals()) {
    AppendEntry(&out, slot.metavar(), slot.help(), columns);
  }
  AppendFlags(&out, flags, columns);
  out += "\n";
  AppendWords(&out,
              "Every flag can also be set as INFER_<FLAG> in the environment (--log-file is "
              "INFER_LOG_FILE) or as a key of --config; the command line wins over the "
              "environment, the environment over the file.",
              0, 0, columns);
  for (const Flags* noted : {&flags, mode}) {
    if (noted == nullptr) continue;
    for (const std::string& note : noted->notes()) {
      out += "\n";
      AppendWords(&out, note, 0, 0, columns);
    }
  }
  AppendExamples(&out, named_mode && !mode->examples().empty() ? *mode : flags);
  return out;
}

std::string ConfigText(const Flags& flags) {
  std::vector<const Flag*> shown;
  size_t name_columns = 0;
  size_t value_columns = 0;
  for (const Flag* flag : flags.ActiveFlags()) {
    if (flag->command_line_only()) continue;
    shown.push_back(flag);
    name_columns = std::max(name_columns, flag->config_key().size());
    // Keeps one long prompt from pushing every origin off the screen.
    value_columns = std::max(value_columns, std::min<size_t>(flag->ValueText().size(), 40));
  }
  std::string out;
  for (const Flag* flag : shown) {
    out +=
        absl::StrFormat("%-*s = %-*s  (%s)\n", static_cast<int>(name_columns), flag->config_key(),
                        static_cast<int>(value_columns), flag->ValueText(), flag->OriginText());
  }
  return out;
}

}  // namespace infer
