// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "absl/status/status.h"

namespace infer {

enum class FlagKind {
  kSwitch,  // --chat, --no-chat
  kCount,   // -v, -vv
  kValue,   // the last one given counts
  kList,    // each one given counts
};

enum class Origin { kDefault, kConfig, kEnv, kCli };

// One flag or positional argument: what help, completion and the parsers need to know, and how text
// is stored in the tool's variable. Created and owned by Flags; a tool only calls the modifiers.
class Flag {
 public:
  // `names` is "-n,--predict": any number of short names, then the long name, which determines the
  // flag's environment variable and config key. Several letters after one dash ("-ngl") count as
  // short too.
  Flag(std::string_view names, FlagKind kind, std::string metavar, std::string help);

  // Adds a name, short or long, that the help mentions after the text.
  Flag& Alias(std::string name);
  // Limits a number, ends included.
  Flag& Range(double lowest, double highest);
  Flag& Min(double lowest) { return Range(lowest, std::numeric_limits<double>::infinity()); }
  Flag& Required();
  // Refuses an empty text, which is usually a shell variable that was not set. `instead` says what
  // to do: "leave it out for the bundled model".
  Flag& NotEmpty(std::string instead = "");
  // Sets what help and --print-config show as the value while none is given: "all cores".
  Flag& Default(std::string text);
  // Excludes the flag from environment and config, like --help.
  Flag& CommandLineOnly();

  const std::string& name() const { return name_; }  // long, with dashes; a positional has none
  const std::vector<std::string>& short_names() const { return short_names_; }
  const std::vector<std::string>& aliases() const { return aliases_; }
  const std::string& metavar() const { return metavar_; }
  const std::string& help() const { return help_; }
  const std::string& section() const { return section_; }
  const std::vector<std::string>& choices() const { return choices_; }
  FlagKind kind() const { return kind_; }
  bool takes_value() const { return kind_ == FlagKind::kValue || kind_ == FlagKind::kList; }
  bool required() const { return required_; }
  bool command_line_only() const { return command_line_only_; }

  std::string config_key() const { return name_.substr(2); }  // "kv-type"
  std::string env_name() const;                               // "INFER_KV_TYPE"

  // Returns every spelling that selects this flag, without the --no- form of a switch.
  std::vector<std::string> AllNames() const;

  // Replaces the value with `texts`; an error names the flag and `source`.
  absl::Status Set(const std::vector<std::string>& texts, Origin origin, std::string source);
  Origin origin() const { return origin_; }
  // Returns "cli", "env INFER_SEED", "config run.json" or "default".
  std::string OriginText() const;
  // Returns the current value as it would be written, or the Default text while none is given.
  std::string ValueText() const;
  std::string default_text() const { return default_text_; }

 private:
  friend class Flags;
  template <class V>
  absl::Status CheckRange(const V& value) const {
    if constexpr (std::is_arithmetic_v<V>) return CheckNumber(static_cast<double>(value));
    return absl::OkStatus();
  }
  absl::Status CheckNumber(double value) const;
  absl::Status EmptyValue() const;

  std::string name_;
  std::vector<std::string> short_names_;
  std::vector<std::string> aliases_;
  FlagKind kind_;
  std::string metavar_;
  std::string help_;
  std::string section_;
  std::vector<std::string> choices_;
  double lowest_ = -std::numeric_limits<double>::infinity();
  double highest_ = std::numeric_limits<double>::infinity();
  bool required_ = false;
  bool not_empty_ = false;
  std::string instead_of_empty_;
  bool command_line_only_ = false;
  std::function<absl::Status(std::string_view)> set_;  // stores one text; appends for a list
  std::function<void()> clear_;                        // before the first set_ of a list or count
  std::function<std::string()> show_;
  std::string default_text_;
  Origin origin_ = Origin::kDefault;
  std::string source_;
};

}  // namespace infer
