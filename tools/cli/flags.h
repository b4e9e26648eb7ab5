// SPDX-License-Identifier: Apache-2.0
//
// The command line of a tool, written as data:
//
//   Flags flags("infer-run", "Generate text from a model.");
//   flags.Section("Generation");
//   flags.Int("-n,--predict", &options.max_tokens, "N", "new tokens at
//   most").Alias("--max-tokens"); flags.Enum("--kv-type", &options.kv_type, {{"f16", DType::kF16},
//   {"f32", DType::kF32}},
//              "element type of the KV cache");
//   flags.Example("infer-run -p 'Once upon a time'", "Continue a text.");
//
// The variable's value at registration is the default. Every flag can be given as `--flag value`,
// `--flag=value`, with `_` for `-`, as INFER_<FLAG> in the environment, or as a key of the JSON
// object in `--config FILE`; the command line wins over the environment, that over the file.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/cli/flag.h"
#include "tools/cli/flag_text.h"

namespace infer {

namespace internal {

template <class T>
struct ValueOf {
  using type = T;
};
template <class T>
struct ValueOf<std::optional<T>> {
  using type = T;
};

template <class T>
auto Shown(const T& value, const auto& show) -> std::string {
  return show(value);
}
template <class T>
auto Shown(const std::optional<T>& value, const auto& show) -> std::string {
  return value ? show(*value) : std::string();
}

}  // namespace internal

// Returns the value of an environment variable, or nullopt if it is not set. Tests pass a map.
using EnvLookup = std::function<std::optional<std::string>(const std::string& name)>;
EnvLookup ProcessEnv();

// What the command line asks for. All but kRun print something and exit.
enum class ParseAction { kRun, kHelp, kManPage, kVersion, kCompletion, kPrintConfig };

// Owns its flags and modes. Targets must outlive it. Parse may be called once.
class Flags {
  struct ModeTag {};

 public:
  Flags(std::string program, std::string summary);
  // For Mode() only: leaves out the flags that every tool has.
  Flags(ModeTag, std::string program, std::string summary);
  Flags(const Flags&) = delete;
  Flags& operator=(const Flags&) = delete;

  // Sets the heading of the flags registered from here on.
  void Section(std::string title) { section_ = std::move(title); }

  // T may be std::optional<...> if "not given" matters and no value can stand for it.
  Flag& Bool(std::string_view names, bool* target, std::string help);
  Flag& Bool(std::string_view names, std::optional<bool>* target, std::string help);
  // A switch that may be given a text after `=`: --cache, --cache=DIR, --no-cache. In environment
  // and config the words of a switch (1, true, off, ...) mean the switch, other texts the text.
  Flag& SwitchOrText(std::string_view names, bool* target, std::string* text, std::string metavar,
                     std::string help);
  Flag& Count(std::string_view names, int* target, std::string help);
  template <class T>
  Flag& Int(std::string_view names, T* target, std::string metavar, std::string help);
  template <class T>
  Flag& Float(std::string_view names, T* target, std::string metavar, std::string help);
  // Bytes or counts with suffix k, M, G or T (powers of 1024).
  template <class T>
  Flag& Size(std::string_view names, T* target, std::string metavar, std::string help);
  template <class T>
  Flag& Text(std::string_view names, T* target, std::string metavar, std::string help);
  // One of a few words.
  Flag& Choice(std::string_view names, std::string* target, std::vector<std::string> words,
               std::string help);
  template <class E>
  Flag& Enum(std::string_view names, E* target,
             const std::vector<std::pair<std::string, typename internal::ValueOf<E>::type>>& values,
             std::string help);
  // Repeatable; each text is used as a whole.
  Flag& TextList(std::string_view names, std::vector<std::string>* target, std::string metavar,
                 std::string help);
  // Repeatable; each occurrence may hold several comma-separated numbers.
  template <class T>
  Flag& IntList(std::string_view names, std::vector<T>* target, std::string metavar,
                std::string help);

  // Positionals are filled in order; a list comes last and takes the rest.
  Flag& Positional(std::string metavar, std::string* target, std::string help);
  Flag& PositionalList(std::string metavar, std::vector<std::string>* target, std::string help);

  // Adds a mode, which is chosen by its name as the first argument that is not a flag:
  // `gguf-inspect verify F`. It has flags and positionals of its own; the tool's flags apply in
  // every mode, the tool's positionals only without a mode. The reference stays valid.
  Flags& Mode(std::string name, std::string summary);
  // Sets the mode to use when none is named. Without a default and without positionals of the tool,
  // a mode must be named.
  void SetDefaultMode(std::string name) { default_mode_ = std::move(name); }

  void Example(std::string command, std::string comment);
  // Adds a paragraph to the help, after the flags.
  void Note(std::string text) { notes_.push_back(std::move(text)); }

  // `args` are without the program's name. Returns usage errors, or bad input for a config file
  // that cannot be read.
  absl::StatusOr<ParseAction> Parse(const std::vector<std::string>& args, const EnvLookup& env);

  // Valid after Parse:
  const std::string& mode() const { return mode_; }  // "" without modes
  const std::string& completion_shell() const { return completion_shell_; }
  // Returns the flag of the tool or the chosen mode with this long name, or nullptr.
  const Flag* Find(std::string_view name) const;
  // Returns whether command line, environment or config gave the flag.
  bool Given(std::string_view name) const;

  // Used by help and completion.
  struct ExampleText {
    std::string command;
    std::string comment;
  };
  const std::string& program() const { return program_; }
  const std::string& summary() const { return summary_; }
  const std::deque<Flag>& flags() const { return flags_; }
  const std::deque<Flag>& positionals() const { return positionals_; }
  const std::deque<Flags>& modes() const { return modes_; }
  const std::string& default_mode() const { return default_mode_; }
  const std::vector<ExampleText>& examples() const { return examples_; }
  const std::vector<std::string>& notes() const { return notes_; }
  // Returns the mode's flags, then the tool's.
  std::vector<const Flag*> ActiveFlags() const;
  const Flags* active_mode() const { return active_mode_; }

 private:
  Flag& Register(std::string_view names, FlagKind kind, std::string metavar, std::string help);
  // Binds a flag: text -> value -> *target, with the range check and the default's text.
  template <class T, class ParseFn, class ShowFn>
  Flag& AddValue(std::string_view names, T* target, std::string metavar, std::string help,
                 ParseFn parse, ShowFn show);

  absl::Status CheckRegistration() const;
  void ChooseMode(std::vector<std::string>* args);
  std::vector<Flag*> MutableActiveFlags();
  absl::Status CheckModeName(const std::vector<std::string>& texts) const;
  absl::Status ApplyPositionals(const std::vector<std::string>& texts);
  absl::Status ApplyEnvironment(const EnvLookup& env);
  absl::Status ApplyConfig();
  absl::Status CheckRequired() const;

  std::string program_;
  std::string summary_;
  std::string section_ = "Flags";
  std::deque<Flag> flags_;  // deque: references handed out stay valid
  std::deque<Flag> positionals_;
  std::deque<Flags> modes_;
  std::string default_mode_;
  std::vector<ExampleText> examples_;
  std::vector<std::string> notes_;
  std::string mode_;
  Flags* active_mode_ = nullptr;

  bool help_ = false;
  bool man_page_ = false;
  bool version_ = false;
  bool print_config_ = false;
  std::string config_file_;
  std::string completion_shell_;
};

template <class T, class ParseFn, class ShowFn>
Flag& Flags::AddValue(std::string_view names, T* target, std::string metavar, std::string help,
                      ParseFn parse, ShowFn show) {
  Flag& flag = Register(names, FlagKind::kValue, std::move(metavar), std::move(help));
  flag.set_ = [target, parse = std::move(parse), &flag](std::string_view text) -> absl::Status {
    auto value = parse(text);
    if (!value.ok()) return value.status();
    if (absl::Status status = flag.CheckRange(*value); !status.ok()) return status;
    *target = static_cast<typename internal::ValueOf<T>::type>(*std::move(value));
    return absl::OkStatus();
  };
  flag.show_ = [target, show = std::move(show)] { return internal::Shown(*target, show); };
  flag.default_text_ = flag.show_();
  return flag;
}

template <class T>
Flag& Flags::Int(std::string_view names, T* target, std::string metavar, std::string help) {
  using V = typename internal::ValueOf<T>::type;
  static_assert(std::is_integral_v<V> && !std::is_same_v<V, bool>);
  return AddValue(names, target, std::move(metavar), std::move(help), ParseInt<V>,
                  [](V value) { return std::to_string(value); });
}

template <class T>
Flag& Flags::Float(std::string_view names, T* target, std::string metavar, std::string help) {
  static_assert(std::is_floating_point_v<typename internal::ValueOf<T>::type>);
  return AddValue(names, target, std::move(metavar), std::move(help), ParseFloat, FloatText);
}

template <class T>
Flag& Flags::Size(std::string_view names, T* target, std::string metavar, std::string help) {
  using V = typename internal::ValueOf<T>::type;
  static_assert(std::is_integral_v<V>);
  auto parse = [](std::string_view text) -> absl::StatusOr<V> {
    absl::StatusOr<uint64_t> value = ParseSize(text);
    if (!value.ok()) return value.status();
    if (*value > static_cast<uint64_t>(std::numeric_limits<V>::max())) {
      return absl::InvalidArgumentError(
          StrCat("'", text, "' is more than ", std::numeric_limits<V>::max()));
    }
    return static_cast<V>(*value);
  };
  return AddValue(names, target, std::move(metavar), std::move(help), parse,
                  [](V value) { return SizeText(static_cast<uint64_t>(value)); });
}

template <class T>
Flag& Flags::Text(std::string_view names, T* target, std::string metavar, std::string help) {
  return AddValue(
      names, target, std::move(metavar), std::move(help),
      [](std::string_view text) -> absl::StatusOr<std::string> { return std::string(text); },
      [](const std::string& value) { return value; });
}

template <class E>
Flag& Flags::Enum(
    std::string_view names, E* target,
    const std::vector<std::pair<std::string, typename internal::ValueOf<E>::type>>& values,
    std::string help) {
  using V = typename internal::ValueOf<E>::type;
  std::vector<std::string> words;
  for (const auto& [word, value] : values) words.push_back(word);
  auto parse = [values, words](std::string_view text) -> absl::StatusOr<V> {
    for (const auto& [word, value] : values) {
      if (word == text) return value;
    }
    return UnknownWord(text, words);
  };
  auto show = [values](const V& value) -> std::string {
    for (const auto& [word, listed] : values) {
      if (listed == value) return word;
    }
    return "";
  };
  Flag& flag = AddValue(names, target, JoinWords(words, "|"), std::move(help), parse, show);
  flag.choices_ = std::move(words);
  return flag;
}

template <class T>
Flag& Flags::IntList(std::string_view names, std::vector<T>* target, std::string metavar,
                     std::string help) {
  Flag& flag = Register(names, FlagKind::kList, std::move(metavar), std::move(help));
  flag.set_ = [target, &flag](std::string_view text) -> absl::Status {
    for (const std::string& part : SplitWords(text, ',')) {
      absl::StatusOr<T> value = ParseInt<T>(part);
      if (!value.ok()) return value.status();
      if (absl::Status status = flag.CheckRange(*value); !status.ok()) return status;
      target->push_back(*value);
    }
    return absl::OkStatus();
  };
  flag.clear_ = [target] { target->clear(); };
  flag.show_ = [target] {
    std::vector<std::string> texts;
    for (T value : *target) texts.push_back(std::to_string(value));
    return JoinWords(texts, ",");
  };
  flag.default_text_ = flag.show_();
  return flag;
}

}  // namespace infer
