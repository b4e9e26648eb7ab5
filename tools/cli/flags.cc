// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/flags.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "ir/base/nearest.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "tools/cli/config_file.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/parse_args.h"

namespace infer {
namespace {

// Environment variables with a special meaning, whose names no flag may take.
constexpr std::string_view kReservedEnv[] = {"INFER_MODELS", "INFER_CPU", "INFER_LOG"};

}  // namespace

EnvLookup ProcessEnv() {
  return [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  };
}

Flags::Flags(ModeTag, std::string program, std::string summary)
    : program_(std::move(program)), summary_(std::move(summary)) {}

Flags::Flags(std::string program, std::string summary)
    : Flags(ModeTag{}, std::move(program), std::move(summary)) {
  Section("General");
  Bool("-h,--help", &help_, "print this help").CommandLineOnly();
  Bool("--version", &version_, "print version, build and CPU features, then exit")
      .CommandLineOnly();
  Text("--config", &config_file_, "FILE", "read flags from a JSON object: {\"flag-name\": value}");
  Bool("--man", &man_page_, "print the manual page, for man -l, then exit").CommandLineOnly();
  Bool("--print-config", &print_config_, "print every flag's value and its origin, then exit")
      .CommandLineOnly();
  Choice("--completion", &completion_shell_, {"bash", "zsh", "fish"},
         "print a completion script for this shell, then exit")
      .CommandLineOnly();
  Section("Flags");
}

Flag& Flags::Register(std::string_view names, FlagKind kind, std::string metavar,
                      std::string help) {
  Flag& flag = flags_.emplace_back(names, kind, std::move(metavar), std::move(help));
  flag.section_ = section_;
  return flag;
}

Flag& Flags::Bool(std::string_view names, bool* target, std::string help) {
  Flag& flag = AddValue(names, target, "", std::move(help), ParseBool,
                        [](bool value) { return value ? "true" : "false"; });
  flag.kind_ = FlagKind::kSwitch;
  return flag;
}

Flag& Flags::Bool(std::string_view names, std::optional<bool>* target, std::string help) {
  Flag& flag = AddValue(names, target, "", std::move(help), ParseBool,
                        [](bool value) { return value ? "true" : "false"; });
  flag.kind_ = FlagKind::kSwitch;
  return flag;
}

Flag& Flags::SwitchOrText(std::string_view names, bool* target, std::string* text,
                          std::string metavar, std::string help) {
  Flag& flag = Register(names, FlagKind::kSwitch, std::move(metavar), std::move(help));
  flag.set_ = [target, text](std::string_view given) -> absl::Status {
    if (given.empty()) return absl::InvalidArgumentError("is empty; leave out the '='");
    const absl::StatusOr<bool> on = ParseBool(given);
    *target = on.value_or(true);
    *text = on.ok() ? std::string() : std::string(given);
    return absl::OkStatus();
  };
  flag.show_ = [target, text]() -> std::string {
    if (!*target) return "false";
    return text->empty() ? "true" : *text;
  };
  flag.default_text_ = flag.show_();
  return flag;
}

Flag& Flags::Count(std::string_view names, int* target, std::string help) {
  Flag& flag = Register(names, FlagKind::kCount, "", std::move(help));
  // `-v -v` arrives as "true" twice, INFER_VERBOSE=2 as "2".
  flag.set_ = [target](std::string_view text) -> absl::Status {
    if (text == "true") {
      ++*target;
      return absl::OkStatus();
    }
    ASSIGN_OR_RETURN(*target, ParseInt<int>(text));
    return absl::OkStatus();
  };
  flag.clear_ = [target] { *target = 0; };
  flag.show_ = [target] { return std::to_string(*target); };
  flag.default_text_ = flag.show_();
  return flag;
}

Flag& Flags::Choice(std::string_view names, std::string* target, std::vector<std::string> words,
                    std::string help) {
  auto parse = [words](std::string_view text) -> absl::StatusOr<std::string> {
    if (std::find(words.begin(), words.end(), text) == words.end()) return UnknownWord(text, words);
    return std::string(text);
  };
  Flag& flag = AddValue(names, target, JoinWords(words, "|"), std::move(help), parse,
                        [](const std::string& value) { return value; });
  flag.choices_ = std::move(words);
  return flag;
}

Flag& Flags::TextList(std::string_view names, std::vector<std::string>* target, std::string metavar,
                      std::string help) {
  Flag& flag = Register(names, FlagKind::kList, std::move(metavar), std::move(help));
  flag.set_ = [target](std::string_view text) {
    target->emplace_back(text);
    return absl::OkStatus();
  };
  flag.clear_ = [target] { target->clear(); };
  flag.show_ = [target] { return JoinWords(*target, " "); };
  flag.default_text_ = flag.show_();
  return flag;
}

Flag& Flags::Positional(std::string metavar, std::string* target, std::string help) {
  Flag& flag = positionals_.emplace_back("", FlagKind::kValue, std::move(metavar), std::move(help));
  flag.set_ = [target](std::string_view text) {
    *target = std::string(text);
    return absl::OkStatus();
  };
  flag.show_ = [target] { return *target; };
  flag.default_text_ = *target;
  return flag;
}

Flag& Flags::PositionalList(std::string metavar, std::vector<std::string>* target,
                            std::string help) {
  Flag& flag = positionals_.emplace_back("", FlagKind::kList, std::move(metavar), std::move(help));
  flag.set_ = [target](std::string_view text) {
    target->emplace_back(text);
    return absl::OkStatus();
  };
  flag.clear_ = [target] { target->clear(); };
  flag.show_ = [target] { return JoinWords(*target, " "); };
  return flag;
}

Flags& Flags::Mode(std::string name, std::string summary) {
  return modes_.emplace_back(ModeTag{}, std::move(name), std::move(summary));
}

void Flags::Example(std::string command, std::string comment) {
  examples_.push_back({std::move(command), std::move(comment)});
}

std::vector<Flag*> Flags::MutableActiveFlags() {
  std::vector<Flag*> active;
  if (active_mode_ != nullptr) {
    for (Flag& flag : active_mode_->flags_) active.push_back(&flag);
  }
  for (Flag& flag : flags_) active.push_back(&flag);
  return active;
}

std::vector<const Flag*> Flags::ActiveFlags() const {
  std::vector<Flag*> active = const_cast<Flags*>(this)->MutableActiveFlags();
  return {active.begin(), active.end()};
}

const Flag* Flags::Find(std::string_view name) const {
  for (const Flag* flag : ActiveFlags()) {
    if (flag->name() == name) return flag;
  }
  return nullptr;
}

bool Flags::Given(std::string_view name) const {
  const Flag* flag = Find(name);
  return flag != nullptr && flag->origin() != Origin::kDefault;
}

// Finds mistakes of a tool's author, in the tool's first run.
absl::Status Flags::CheckRegistration() const {
  std::set<std::string> seen;
  for (const Flag* flag : ActiveFlags()) {
    if (flag->name().empty()) return absl::InternalError("a flag has no long name");
    std::string env = flag->env_name();
    if (std::find(std::begin(kReservedEnv), std::end(kReservedEnv), env) !=
        std::end(kReservedEnv)) {
      return absl::InternalError(StrCat("flag ", flag->name(), ": ", env, " is reserved"));
    }
    for (const std::string& name : flag->AllNames()) {
      if (!seen.insert(name).second) {
        return absl::InternalError(StrCat("flag ", name, " is registered twice"));
      }
    }
  }
  return absl::OkStatus();
}

// Removes the mode's name from the arguments.
void Flags::ChooseMode(std::vector<std::string>* args) {
  std::vector<const Flag*> flags = ActiveFlags();
  auto chosen = args->end();
  for (auto arg = args->begin(); arg != args->end() && *arg != "--"; ++arg) {
    if (!LooksLikeFlag(*arg)) {
      chosen = arg;
      break;
    }
    FlagToken token = ReadFlagToken(flags, *arg);
    bool value_follows = token.flag != nullptr && token.flag->takes_value() && !token.has_value;
    if (value_follows && ++arg == args->end()) break;
  }
  std::string name = chosen == args->end() ? "" : *chosen;
  for (Flags& mode : modes_) {
    if (mode.program_ == name) {
      args->erase(chosen);
      active_mode_ = &mode;
    }
  }
  for (Flags& mode : modes_) {
    if (active_mode_ == nullptr && mode.program_ == default_mode_) active_mode_ = &mode;
  }
  if (active_mode_ != nullptr) mode_ = active_mode_->program_;
}

absl::StatusOr<ParseAction> Flags::Parse(const std::vector<std::string>& args,
                                         const EnvLookup& env) {
  std::vector<std::string> rest = args;
  ChooseMode(&rest);
  RETURN_IF_ERROR(CheckRegistration());
  ASSIGN_OR_RETURN(ParsedArgs parsed, ParseArgs(program_, ActiveFlags(), rest));
  for (Flag* flag : MutableActiveFlags()) {
    auto given = parsed.values.find(flag);
    if (given != parsed.values.end()) RETURN_IF_ERROR(flag->Set(given->second, Origin::kCli, ""));
  }
  // Checked before anything else can fail: help must work with a broken environment or config.
  if (help_) return ParseAction::kHelp;
  if (man_page_) return ParseAction::kManPage;
  if (version_) return ParseAction::kVersion;
  if (!completion_shell_.empty()) return ParseAction::kCompletion;
  RETURN_IF_ERROR(ApplyEnvironment(env));
  RETURN_IF_ERROR(ApplyConfig());
  RETURN_IF_ERROR(ApplyPositionals(parsed.positionals));
  if (print_config_) return ParseAction::kPrintConfig;
  RETURN_IF_ERROR(CheckRequired());
  return ParseAction::kRun;
}

absl::Status Flags::ApplyEnvironment(const EnvLookup& env) {
  for (Flag* flag : MutableActiveFlags()) {
    if (flag->origin() == Origin::kCli || flag->command_line_only()) continue;
    std::optional<std::string> text = env(flag->env_name());
    // Empty counts as not set: that is how a shell unsets a variable for one command.
    if (!text || text->empty()) continue;
    RETURN_IF_ERROR(flag->Set({*text}, Origin::kEnv, flag->env_name()));
  }
  return absl::OkStatus();
}

absl::Status Flags::ApplyConfig() {
  if (config_file_.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(ConfigValues values, ReadConfigFile(config_file_));
  std::vector<std::string> keys;
  for (Flag* flag : MutableActiveFlags()) {
    if (flag->command_line_only() || flag->name() == "--config") continue;
    keys.push_back(flag->config_key());
    auto value = values.find(flag->config_key());
    if (value == values.end()) continue;
    std::vector<std::string> texts = std::move(value->second);
    values.erase(value);
    if (flag->kind() != FlagKind::kList && texts.size() != 1) {
      return UsageError(StrCat(flag->name(), " (config ", config_file_, "): holds an array of ",
                               texts.size(), " values, expected one value"));
    }
    if (flag->origin() != Origin::kDefault) continue;
    RETURN_IF_ERROR(flag->Set(texts, Origin::kConfig, config_file_));
  }
  if (values.empty()) return absl::OkStatus();
  const std::string& unknown = values.begin()->first;
  return UsageError(StrCat(config_file_, ": key '", unknown, "' is not a flag of ", program_,
                           DidYouMean(unknown, keys)));
}

// `gguf-inspect verfy F`: a misspelt mode would be taken for a file.
absl::Status Flags::CheckModeName(const std::vector<std::string>& texts) const {
  if (modes_.empty() || mode_ != default_mode_ || texts.empty()) return absl::OkStatus();
  std::vector<std::string> names;
  for (const Flags& mode : modes_) names.push_back(mode.program_);
  const std::string nearest = DidYouMean(texts[0], names);
  if (nearest.empty() || access(texts[0].c_str(), F_OK) == 0) return absl::OkStatus();
  return UsageError(StrCat(program_, ": '", texts[0], "' is not one of its modes ",
                           JoinWords(names, ", "), nearest));
}

absl::Status Flags::ApplyPositionals(const std::vector<std::string>& texts) {
  std::deque<Flag>& slots = active_mode_ != nullptr ? active_mode_->positionals_ : positionals_;
  RETURN_IF_ERROR(CheckModeName(texts));
  size_t next = 0;
  for (Flag& slot : slots) {
    if (next == texts.size()) break;
    size_t count = slot.kind() == FlagKind::kList ? texts.size() - next : 1;
    auto first = texts.begin() + static_cast<ptrdiff_t>(next);
    RETURN_IF_ERROR(slot.Set({first, first + static_cast<ptrdiff_t>(count)}, Origin::kCli, ""));
    next += count;
  }
  if (next == texts.size()) return absl::OkStatus();
  std::vector<std::string> names;
  for (const Flags& mode : modes_) names.push_back(mode.program_);
  if (!names.empty() && mode_.empty() && slots.empty()) {
    return UsageError(StrCat(program_, ": '", texts[next], "' is not one of its modes ",
                             JoinWords(names, ", "), DidYouMean(texts[next], names)));
  }
  const std::string advice = Find("--prompt") != nullptr ? "a prompt is given with -p"
                                                         : StrCat("see ", program_, " --help");
  return UsageError(StrCat("unexpected argument '", texts[next], "'; ", advice));
}

absl::Status Flags::CheckRequired() const {
  if (active_mode_ == nullptr && !modes_.empty() && positionals_.empty()) {
    std::vector<std::string> names;
    for (const Flags& mode : modes_) names.push_back(mode.program_);
    return UsageError(StrCat(program_, ": a mode is missing: one of ", JoinWords(names, ", "),
                             "; see ", program_, " --help"));
  }
  for (const Flag* flag : ActiveFlags()) {
    if (flag->required() && flag->origin() == Origin::kDefault) {
      return UsageError(
          StrCat(flag->name(), " ", flag->metavar(), " is missing; see ", program_, " --help"));
    }
  }
  for (const Flag& slot : active_mode_ != nullptr ? active_mode_->positionals_ : positionals_) {
    if (slot.required() && slot.origin() == Origin::kDefault) {
      return UsageError(
          StrCat("argument ", slot.metavar(), " is missing; see ", program_, " --help"));
    }
  }
  return absl::OkStatus();
}

}  // namespace infer
