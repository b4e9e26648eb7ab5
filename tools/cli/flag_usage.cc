// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/flag_usage.h"

#include "ir/base/strings.h"

namespace infer {

std::string FlagSpelling(const Flag& flag) {
  std::string left;
  for (const std::string& name : flag.short_names()) StrAppend(&left, name, ", ");
  bool on_by_default = flag.kind() == FlagKind::kSwitch && flag.default_text() == "true";
  StrAppend(&left, on_by_default ? StrCat("--[no-]", flag.config_key()) : flag.name());
  if (flag.takes_value()) StrAppend(&left, " ", flag.metavar());
  if (flag.kind() == FlagKind::kSwitch && !flag.metavar().empty()) {
    StrAppend(&left, "[=", flag.metavar(), "]");
  }
  return left;
}

std::string FlagMeaning(const Flag& flag) {
  std::string right = flag.help();
  if (flag.required()) right += " (required)";
  if (flag.kind() == FlagKind::kList) right += " (repeatable)";
  if (flag.takes_value() && !flag.default_text().empty()) {
    StrAppend(&right, " (default: ", flag.default_text(), ")");
  }
  if (!flag.aliases().empty()) StrAppend(&right, " [also ", JoinWords(flag.aliases(), ", "), "]");
  return right;
}

std::string UsageLine(const Flags& tool, const Flags* mode) {
  std::string usage = tool.program();
  if (mode != nullptr && mode->program() == tool.default_mode()) {
    StrAppend(&usage, " [", mode->program(), "]");
  } else if (mode != nullptr) {
    StrAppend(&usage, " ", mode->program());
  }
  usage += " [flags]";
  for (const Flag& slot : (mode != nullptr ? *mode : tool).positionals()) {
    std::string name = StrCat(slot.metavar(), slot.kind() == FlagKind::kList ? "..." : "");
    StrAppend(&usage, " ", slot.required() ? name : StrCat("[", name, "]"));
  }
  return usage;
}

}  // namespace infer
