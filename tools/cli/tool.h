// SPDX-License-Identifier: Apache-2.0
//
// Defines a tool and what it is given. A tool's main parses its flags, does its work and returns a
// Status; RunTool turns that into the error line and the exit code.
#pragma once

#include <unistd.h>

#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/cli/atomic_file.h"
#include "tools/cli/console.h"
#include "tools/cli/flags.h"
#include "tools/cli/interrupt.h"
#include "tools/cli/output.h"
#include "tools/cli/unknown_env.h"

namespace infer {

struct Tool;

// Where a tool reads and writes; tests pass pipes and their own environment.
struct ToolIo {
  int out_fd = STDOUT_FILENO;
  int err_fd = STDERR_FILENO;
  EnvLookup env = ProcessEnv();
  EnvNames env_names = ProcessEnvNames();
  // All tools of the binary: a variable for a flag of another one is not a mistake.
  std::span<const Tool* const> tools = {};
};

// Exists for one run of a tool.
class ToolContext {
 public:
  ToolContext(std::vector<std::string> args, const ToolIo& io)
      : args_(std::move(args)), io_(io), env_(io.env), out_(io.out_fd), console_(io.err_fd) {}

  const std::vector<std::string>& args() const { return args_; }  // without the tool's name
  ProductOutput& out() { return out_; }
  Console& console() { return console_; }
  Interrupt& interrupt() { return interrupt_; }
  const EnvLookup& env() const { return env_; }

  // Adds the flags that every tool has (-q, -v, --log-file, --color), parses, and sets up the
  // console. Returns false if --help or the like has been answered; the tool then returns OkStatus.
  absl::StatusOr<bool> Parse(Flags& flags);

  // Opens the file behind `-o`; "-" is stdout.
  absl::StatusOr<std::unique_ptr<AtomicFile>> OpenOutput(std::string_view path) {
    return AtomicFile::Create(path, &out_);
  }

  // Sets what is called with the tool's result when it has ended, and may replace it.
  void SetEnd(std::function<absl::Status(absl::Status)> end) { end_ = std::move(end); }
  absl::Status End(absl::Status status) { return end_ ? end_(std::move(status)) : status; }

  // Returns the environment variables of all flags and modes; valid after Parse.
  const EnvNames& known_env() const { return known_env_; }

  bool has_end() const { return end_ != nullptr; }

  // Whether this is one of the ranks of a divided run that follow the first.
  bool follows() const { return env_("OMPI_COMM_WORLD_RANK").value_or("0") != "0"; }

  // Returns whether a flag with this long name was registered when Parse was called.
  bool HasFlag(std::string_view name) const { return flag_names_.contains(name); }

 private:
  void WarnAboutEnvironment();

  std::vector<std::string> args_;
  ToolIo io_;
  EnvLookup env_;
  EnvNames known_env_;
  std::set<std::string, std::less<>> flag_names_;
  ProductOutput out_;
  Console console_;
  Interrupt interrupt_;
  std::function<absl::Status(absl::Status)> end_;
};

struct Tool {
  std::string_view name;        // the link beside the binary: "infer-run"
  std::string_view subcommand;  // `infer run`
  std::string_view summary;     // one line of the list
  absl::Status (*main)(ToolContext& context);
};

// Runs a tool and returns its exit code. The product is flushed; if that or the tool fails, exactly
// one error line goes to stderr, except if the reader of stdout has gone. If a signal arrived and
// the tool returned normally, the exit code is still 130 or 143. No exception escapes: what a
// library throws becomes an error line too.
int RunTool(const Tool& tool, std::vector<std::string> args, const ToolIo& io);

}  // namespace infer
