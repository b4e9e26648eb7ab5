// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/completion.h"

#include <algorithm>

#include "ir/base/strings.h"

namespace infer {
namespace {

std::string FunctionName(std::string_view tool) {
  std::string name = StrCat("_", tool);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

// Returns the flags of the tool and of all its modes: the shell does not know which mode was
// chosen.
std::vector<const Flag*> EveryFlag(const Flags& flags) {
  std::vector<const Flag*> all;
  for (const Flag& flag : flags.flags()) all.push_back(&flag);
  for (const Flags& mode : flags.modes()) {
    for (const Flag& flag : mode.flags()) all.push_back(&flag);
  }
  return all;
}

std::string Quoted(std::string_view text) {
  std::string quoted = "'";
  for (char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

// Script for bash, and for zsh through its bashcompinit: one function that looks at the last two
// words.
std::string BashScript(const Flags& flags) {
  std::string function = FunctionName(flags.program());
  std::vector<std::string> words;
  for (const Flags& mode : flags.modes()) words.push_back(mode.program());
  std::string choices;
  std::vector<std::string> file_flags;
  for (const Flag* flag : EveryFlag(flags)) {
    words.push_back(flag->name());
    std::vector<std::string> names = flag->AllNames();
    if (!flag->choices().empty()) {
      StrAppend(&choices, "    ", JoinWords(names, "|"), ") COMPREPLY=($(compgen -W \"",
                JoinWords(flag->choices(), " "), "\" -- \"$cur\")); return;;\n");
    } else if (flag->takes_value()) {
      file_flags.insert(file_flags.end(), names.begin(), names.end());
    }
  }
  if (!file_flags.empty()) {
    StrAppend(&choices, "    ", JoinWords(file_flags, "|"),
              ") COMPREPLY=($(compgen -f -- \"$cur\")); return;;\n");
  }
  return StrCat(function, "() {\n",                                                         //
                "  local cur=\"${COMP_WORDS[COMP_CWORD]}\"\n",                              //
                "  local prev=\"${COMP_WORDS[COMP_CWORD-1]}\"\n",                           //
                "  case \"$prev\" in\n", choices, "  esac\n",                               //
                "  COMPREPLY=($(compgen -W \"", JoinWords(words, " "), "\" -- \"$cur\") ",  //
                "$(compgen -f -- \"$cur\"))\n}\n",                                          //
                "complete -o filenames -F ", function, " ", flags.program(), "\n");
}

std::string FishScript(const Flags& flags) {
  std::string out;
  for (const Flags& mode : flags.modes()) {
    StrAppend(&out, "complete -c ", flags.program(), " -n __fish_use_subcommand -a ",
              mode.program(), " -d ", Quoted(mode.summary()), "\n");
  }
  for (const Flag* flag : EveryFlag(flags)) {
    StrAppend(&out, "complete -c ", flags.program(), " -l ", flag->config_key());
    for (const std::string& name : flag->short_names()) {
      // fish uses -s for one letter and -o for several letters after one dash.
      StrAppend(&out, name.size() == 2 ? " -s " : " -o ", name.substr(1));
    }
    if (!flag->choices().empty()) {
      StrAppend(&out, " -x -a ", Quoted(JoinWords(flag->choices(), " ")));
    } else if (flag->takes_value()) {
      out += " -r";
    }
    StrAppend(&out, " -d ", Quoted(flag->help()), "\n");
  }
  return out;
}

constexpr std::string_view kZshPreamble = "autoload -U +X bashcompinit && bashcompinit\n";

}  // namespace

std::string CompletionScript(const Flags& flags, std::string_view shell) {
  if (shell == "fish") return FishScript(flags);
  return StrCat(shell == "zsh" ? kZshPreamble : "", BashScript(flags));
}

std::string UmbrellaCompletionScript(const std::vector<SubcommandName>& tools,
                                     std::string_view shell) {
  std::string out;
  if (shell == "fish") {
    for (const SubcommandName& name : tools) {
      StrAppend(&out, "complete -c infer -n __fish_use_subcommand -f -a ", name.subcommand, "\n",
                "complete -c infer -n '__fish_seen_subcommand_from ", name.subcommand, "' --wraps ",
                name.tool, "\n");
    }
    return out;
  }
  std::string words;
  std::string cases;
  for (const SubcommandName& name : tools) {
    StrAppend(&words, words.empty() ? "" : " ", name.subcommand);
    StrAppend(&cases, "    ", name.subcommand, ") ", FunctionName(name.tool), ";;\n");
  }
  return StrCat(shell == "zsh" ? kZshPreamble : "", "_infer() {\n",
                "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n", "    COMPREPLY=($(compgen -W \"", words,
                " help\" -- \"${COMP_WORDS[1]}\"))\n    return\n  fi\n",
                "  case \"${COMP_WORDS[1]}\" in\n", cases,
                "  esac\n}\ncomplete -o filenames -F _infer infer\n");
}

}  // namespace infer
