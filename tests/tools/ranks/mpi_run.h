// SPDX-License-Identifier: Apache-2.0
//
// Tools as ranks that mpirun starts, in processes of their own.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

#include "tests/support/hang_limit.h"
#include "tests/tools/cli/captured_run.h"

namespace infer {

// Returns why ranks cannot be started here; empty if they can.
std::string WhyNoMpi();

using Command = std::vector<std::string>;
// Returns `ranks` times the tool of this name with these arguments, and --ranks.
std::vector<Command> SameCommand(int ranks, const std::string& tool, std::vector<std::string> args);

// Writes the description of the generic machine with that of a network, and returns its path.
std::string WriteMachineWith(const std::string& network, const TempDir& dir);
// One of passes/machines/networks.
std::string DescribedNetwork(const std::string& name);
// A network that is so slow that messages are sent as products round them.
std::string SlowNetwork();

class MpiRun {
 public:
  using Seconds = std::chrono::duration<double>;

  // Starts one rank for each command. stdout goes to `out_path`, or is kept if that is empty.
  explicit MpiRun(const std::vector<Command>& ranks, const std::string& out_path = "");
  // Kills what still runs.
  ~MpiRun();
  MpiRun(const MpiRun&) = delete;
  MpiRun& operator=(const MpiRun&) = delete;

  // Returns the process of a rank, which may still be starting; -1 if the run ends before.
  pid_t RankPid(int rank);
  // Waits until a rank has mapped the model; false after kHangLimit.
  bool WaitForModel(int rank);
  // Waits until stdout has this many bytes; false if the run ends before, or after kHangLimit.
  bool WaitForOutput(size_t bytes);
  // Waits until a rank has reported an error; false if the run ends before, or after kHangLimit.
  bool WaitForError();
  void Signal(int rank, int number) { kill_(RankPid(rank), number); }
  void SignalMpirun(int number) { kill_(pid_, number); }

  // How long all of them may take to end after one has failed: 5 s, which a full run shows on a
  // machine with nothing else to do. Where others compete for the CPUs, only that they end.
  static Seconds EndTime();
  // Waits for mpirun and every rank; false if some of them still run after this time.
  bool Wait(Seconds limit = kHangLimit);
  // After Wait; the exit code is mpirun's, which is that of the first rank that failed.
  CapturedRun result() const;
  std::string out() const { return ReadFile(dir_.Path("out")); }
  // The error lines of our own, without mpirun's.
  std::vector<std::string> Errors() const;

 private:
  static void kill_(pid_t pid, int number);
  bool IsOver();
  template <class Condition>
  bool WaitUnlessOver(const Condition& condition);
  void FindRanks();

  TempDir dir_;
  pid_t pid_ = -1;
  int code_ = -1;
  bool over_ = false;
  std::vector<pid_t> ranks_;  // -1: not found yet
};

}  // namespace infer
