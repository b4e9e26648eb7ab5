// SPDX-License-Identifier: Apache-2.0
//
// CLI11 splits the arguments; this is the only file that uses it. It does not support several
// letters after one dash or `_` for `-`, and does not suggest names, so every flag is first
// rewritten to its long name. A value stays a separate, unchanged argument: after `=` CLI11 takes
// an empty value for a missing one. Options are bound to no variable and take single texts, because
// for lists CLI11 would split a text like "[a,b]" at its comma.
#include "tools/cli/parse_args.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <new>
#include <optional>
#include <utility>

#include "ir/base/nearest.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/foreign_flags.h"

namespace infer {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

std::string WithDashes(std::string_view name) {
  std::string dashed(name);
  std::replace(dashed.begin(), dashed.end(), '_', '-');
  return dashed;
}

const Flag* FindByName(const std::vector<const Flag*>& flags, std::string_view name) {
  for (const Flag* flag : flags) {
    for (const std::string& known : flag->AllNames()) {
      if (known == name) return flag;
    }
  }
  return nullptr;
}

std::string HintFor(const std::vector<const Flag*>& flags, std::string_view name) {
  return ForeignFlagHint(
      name, [&](std::string_view wanted) { return FindByName(flags, wanted) != nullptr; });
}

absl::Status UnknownFlag(std::string_view program, const std::vector<const Flag*>& flags,
                         std::string_view arg) {
  std::string name = WithDashes(arg.substr(0, arg.find('=')));
  if (std::string hint = HintFor(flags, name); !hint.empty()) {
    return UsageError(StrCat("unknown flag ", name, ": ", hint));
  }
  std::vector<std::string> known;
  for (const Flag* flag : flags) {
    for (std::string& candidate : flag->AllNames()) known.push_back(std::move(candidate));
  }
  return UsageError(
      StrCat("unknown flag ", name, DidYouMean(name, known), "; see ", program, " --help"));
}

// Handles a run of one-letter flags: `-qv`, or `-n64` with a number attached. CLI11 splits it; this
// only checks that every letter is known, and whether the last one takes the next argument. Other
// text is never accepted as attached: the mistyped `-ngk` would become `-n gk`.
absl::StatusOr<bool> ClusterWantsValue(std::string_view program,
                                       const std::vector<const Flag*>& flags,
                                       std::string_view arg) {
  for (size_t i = 1; i < arg.size(); ++i) {
    const Flag* flag = FindByName(flags, StrCat("-", arg.substr(i, 1)));
    if (flag == nullptr) return UnknownFlag(program, flags, arg);
    if (!flag->takes_value()) continue;
    if (i + 1 < arg.size() && !IsDigit(arg[i + 1])) return UnknownFlag(program, flags, arg);
    return i + 1 == arg.size();
  }
  return false;
}

// Returns `args` with every flag spelled as CLI11 knows it.
absl::StatusOr<std::vector<std::string>> RewriteNames(std::string_view program,
                                                      const std::vector<const Flag*>& flags,
                                                      const std::vector<std::string>& args) {
  std::vector<std::string> rewritten;
  for (size_t i = 0; i < args.size(); ++i) {
    const std::string& arg = args[i];
    if (arg == "--") {
      rewritten.insert(rewritten.end(), args.begin() + static_cast<ptrdiff_t>(i), args.end());
      break;
    }
    if (!LooksLikeFlag(arg)) {
      rewritten.push_back(arg);
      continue;
    }
    FlagToken token = ReadFlagToken(flags, arg);
    bool wants_value = false;
    if (token.flag == nullptr) {
      // Before letters are taken one by one: `-hf` would be `-h -f`.
      if (arg.starts_with("--") || !HintFor(flags, arg).empty()) {
        return UnknownFlag(program, flags, arg);
      }
      ASSIGN_OR_RETURN(wants_value, ClusterWantsValue(program, flags, arg));
      rewritten.push_back(arg);
    } else if (token.flag->takes_value()) {
      rewritten.push_back(token.flag->name());
      if (token.has_value) rewritten.push_back(token.value);
      wants_value = !token.has_value;
    } else if (token.has_value && token.value.empty()) {
      return UsageError(StrCat(arg, ": a value is missing after '='; see ", program, " --help"));
    } else {
      std::string value = token.has_value ? token.value : token.negated ? "false" : "true";
      rewritten.push_back(StrCat(token.flag->name(), "=", value));
    }
    if (!wants_value) continue;
    if (i + 1 == args.size()) {
      return UsageError(StrCat(arg, ": a value is missing; see ", program, " --help"));
    }
    rewritten.push_back(args[++i]);
  }
  return rewritten;
}

}  // namespace

bool LooksLikeFlag(std::string_view arg) {
  if (arg.size() < 2 || arg[0] != '-') return false;
  return arg[1] != '.' && !IsDigit(arg[1]);
}

FlagToken ReadFlagToken(const std::vector<const Flag*>& flags, std::string_view arg) {
  FlagToken token;
  size_t equals = arg.find('=');
  token.has_value = equals != std::string_view::npos;
  if (token.has_value) token.value = std::string(arg.substr(equals + 1));
  std::string name = WithDashes(arg.substr(0, equals));
  token.flag = FindByName(flags, name);
  if (token.flag == nullptr && name.starts_with("--no-") && !token.has_value) {
    const Flag* positive = FindByName(flags, StrCat("--", name.substr(5)));
    if (positive != nullptr && positive->kind() == FlagKind::kSwitch) {
      token.flag = positive;
      token.negated = true;
    }
  }
  return token;
}

absl::StatusOr<ParsedArgs> ParseArgs(std::string_view program,
                                     const std::vector<const Flag*>& flags,
                                     const std::vector<std::string>& args) {
  ASSIGN_OR_RETURN(std::vector<std::string> rewritten, RewriteNames(program, flags, args));
  ParsedArgs parsed;
  try {
    CLI::App app;
    app.set_help_flag();
    app.allow_extras();
    std::vector<std::pair<const Flag*, CLI::Option*>> options;
    for (const Flag* flag : flags) {
      std::string names = flag->name();
      for (const std::string& name : flag->short_names()) {
        if (name.size() == 2) StrAppend(&names, ",", name);
      }
      CLI::Option* option = flag->takes_value() ? app.add_option(names) : app.add_flag(names);
      option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
      options.emplace_back(flag, option);
    }
    std::reverse(rewritten.begin(), rewritten.end());  // CLI11 reads them from the back
    app.parse(std::move(rewritten));
    for (auto [flag, option] : options) {
      if (option->count() > 0) parsed.values[flag] = option->results();
    }
    parsed.positionals = app.remaining();
    auto mark = std::find(parsed.positionals.begin(), parsed.positionals.end(), "--");
    if (mark != parsed.positionals.end()) parsed.positionals.erase(mark);
  } catch (const std::bad_alloc&) {
    throw;  // not a mistake of the caller; RunTool reports it
  } catch (const std::exception& error) {
    return UsageError(StrCat(error.what(), "; see ", program, " --help"));
  }
  return parsed;
}

}  // namespace infer
