// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/flag.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/flag_text.h"

namespace infer {

Flag::Flag(std::string_view names, FlagKind kind, std::string metavar, std::string help)
    : kind_(kind), metavar_(std::move(metavar)), help_(std::move(help)) {
  while (!names.empty()) {
    size_t comma = std::min(names.find(','), names.size());
    std::string name(names.substr(0, comma));
    names.remove_prefix(std::min(comma + 1, names.size()));
    if (name.starts_with("--") && name_.empty()) {
      name_ = std::move(name);
    } else {
      Alias(std::move(name));
    }
  }
}

Flag& Flag::Alias(std::string name) {
  (name.starts_with("--") ? aliases_ : short_names_).push_back(std::move(name));
  return *this;
}

Flag& Flag::Range(double lowest, double highest) {
  lowest_ = lowest;
  highest_ = highest;
  return *this;
}

Flag& Flag::Required() {
  required_ = true;
  return *this;
}

Flag& Flag::NotEmpty(std::string instead) {
  not_empty_ = true;
  instead_of_empty_ = std::move(instead);
  return *this;
}

Flag& Flag::Default(std::string text) {
  default_text_ = std::move(text);
  return *this;
}

Flag& Flag::CommandLineOnly() {
  command_line_only_ = true;
  return *this;
}

std::string Flag::env_name() const {
  std::string env = "INFER_";
  for (char c : config_key()) {
    env += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return env;
}

std::vector<std::string> Flag::AllNames() const {
  std::vector<std::string> names = short_names_;
  if (!name_.empty()) names.push_back(name_);
  names.insert(names.end(), aliases_.begin(), aliases_.end());
  return names;
}

absl::Status Flag::CheckNumber(double value) const {
  if (value >= lowest_ && value <= highest_) return absl::OkStatus();
  if (highest_ == std::numeric_limits<double>::infinity()) {
    return absl::InvalidArgumentError(
        StrCat(FloatText(value), " is too small, at least ", FloatText(lowest_), " is allowed"));
  }
  return absl::InvalidArgumentError(StrCat(FloatText(value), " is out of range, allowed is ",
                                           FloatText(lowest_), " to ", FloatText(highest_)));
}

absl::Status Flag::EmptyValue() const {
  return absl::InvalidArgumentError(
      StrCat("the value is empty", instead_of_empty_.empty() ? "" : "; ", instead_of_empty_));
}

absl::Status Flag::Set(const std::vector<std::string>& texts, Origin origin, std::string source) {
  origin_ = origin;
  source_ = std::move(source);
  if (clear_) clear_();
  for (const std::string& text : texts) {
    absl::Status status = not_empty_ && text.empty() ? EmptyValue() : set_(text);
    if (status.ok()) continue;
    std::string place = origin == Origin::kCli ? "" : StrCat(" (", OriginText(), ")");
    std::string_view what = name_.empty() ? std::string_view(metavar_) : std::string_view(name_);
    return UsageError(StrCat(what, place, ": ", status.message()));
  }
  return absl::OkStatus();
}

std::string Flag::OriginText() const {
  switch (origin_) {
    case Origin::kCli:
      return "cli";
    case Origin::kEnv:
      return StrCat("env ", source_);
    case Origin::kConfig:
      return StrCat("config ", source_);
    case Origin::kDefault:
      break;
  }
  return "default";
}

std::string Flag::ValueText() const {
  return origin_ == Origin::kDefault ? default_text_ : show_();
}

}  // namespace infer
