// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/ranks/mpi_run.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <thread>

extern char** environ;

namespace infer {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kLook{5};

// A rank that ended after mpirun did may stay as a zombie for as long as nobody asks for it.
bool Runs(pid_t pid) {
  const std::string stat = ReadFile("/proc/" + std::to_string(pid) + "/stat");
  const size_t name_end = stat.rfind(") ");
  return name_end != std::string::npos && stat[name_end + 2] != 'Z';
}

// Returns the rank of a process that mpirun started, or -1.
int RankOf(pid_t pid) {
  const std::string environment = ReadFile("/proc/" + std::to_string(pid) + "/environ");
  constexpr std::string_view kName = "OMPI_COMM_WORLD_RANK=";
  const size_t at = environment.find(kName);
  return at == std::string::npos ? -1 : std::atoi(environment.c_str() + at + kName.size());
}

std::vector<pid_t> ChildrenOf(pid_t pid) {
  std::istringstream list(
      ReadFile("/proc/" + std::to_string(pid) + "/task/" + std::to_string(pid) + "/children"));
  std::vector<pid_t> children;
  for (pid_t child = 0; list >> child;) children.push_back(child);
  return children;
}

}  // namespace

std::string WhyNoMpi() {
  if (std::system("command -v mpirun >/dev/null 2>&1") != 0) return "mpirun is not installed";
  if (!std::filesystem::exists(INFER_BIN_DIR "/libinfer_mpi.so")) {
    return "this build has no connection to Open MPI";
  }
  return {};
}

std::vector<Command> SameCommand(int ranks, const std::string& tool,
                                 std::vector<std::string> args) {
  Command command = {std::string(INFER_BIN_DIR "/") + tool};
  command.insert(command.end(), args.begin(), args.end());
  command.insert(command.end(), {"--ranks", std::to_string(ranks)});
  return std::vector<Command>(static_cast<size_t>(ranks), command);
}

std::string DescribedNetwork(const std::string& name) {
  return ReadFile(INFER_SOURCE_DIR "/passes/machines/networks/" + name + ".textproto");
}

std::string SlowNetwork() {
  return "target { target: RANKS step_ns: 500 }\n"
         "kernel { target: RANKS gb_s: 0.02 cached_gb_s: 0.02 }\n"
         "kernel { target: PARALLEL op: 'swiglu' gb_s: 0.001 cached_gb_s: 0.001 }\n";
}

std::string WriteMachineWith(const std::string& network, const TempDir& dir) {
  WriteFile(dir.Path("machine"),
            ReadFile(INFER_SOURCE_DIR "/passes/machines/generic.textproto") + network);
  return dir.Path("machine");
}

MpiRun::MpiRun(const std::vector<Command>& ranks, const std::string& out_path)
    : ranks_(ranks.size(), -1) {
  std::vector<std::string> args = {"mpirun"};
  for (const Command& command : ranks) {
    if (args.size() > 1) args.push_back(":");
    if (getuid() == 0) args.push_back("--allow-run-as-root");
    // Open MPI unloads its libraries before the leak check, so its leaks cannot be suppressed by
    // name.
    args.insert(args.end(), {"-x", "LSAN_OPTIONS=detect_leaks=0"});
    args.insert(args.end(), {"--oversubscribe", "-np", "1"});
    args.insert(args.end(), command.begin(), command.end());
  }
  std::vector<char*> pointers;
  for (std::string& arg : args) pointers.push_back(arg.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  const std::string out = out_path.empty() ? dir_.Path("out") : out_path;
  const std::string err = dir_.Path("err");
  constexpr int kWrite = O_WRONLY | O_CREAT | O_APPEND;
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), kWrite, 0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), kWrite, 0600);
  const int spawned = posix_spawnp(&pid_, "mpirun", &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  EXPECT_EQ(spawned, 0) << "mpirun";
  over_ = spawned != 0;
}

MpiRun::~MpiRun() {
  for (const pid_t pid : ranks_) kill_(pid, SIGKILL);
  if (over_) return;
  kill_(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

void MpiRun::kill_(pid_t pid, int number) {
  if (pid > 0) kill(pid, number);
}

bool MpiRun::IsOver() {
  int status = 0;
  if (!over_ && waitpid(pid_, &status, WNOHANG) == pid_) {
    over_ = true;
    code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  return over_;
}

void MpiRun::FindRanks() {
  for (const pid_t child : ChildrenOf(pid_)) {
    const int rank = RankOf(child);
    if (rank >= 0 && rank < static_cast<int>(ranks_.size())) ranks_[rank] = child;
  }
}

pid_t MpiRun::RankPid(int rank) {
  for (FindRanks(); ranks_[rank] < 0 && !IsOver(); FindRanks()) std::this_thread::sleep_for(kLook);
  return ranks_[rank];
}

bool MpiRun::WaitForModel(int rank) {
  const std::string maps = "/proc/" + std::to_string(RankPid(rank)) + "/maps";
  return WaitUntil([&] { return ReadFile(maps).find(".gguf") != std::string::npos; });
}

template <class Condition>
bool MpiRun::WaitUnlessOver(const Condition& condition) {
  return WaitUntil([&] { return condition() || IsOver(); }, kLook) && condition();
}

bool MpiRun::WaitForOutput(size_t bytes) {
  return WaitUnlessOver([&] { return out().size() >= bytes; });
}

bool MpiRun::WaitForError() {
  return WaitUnlessOver([&] { return !Errors().empty(); });
}

MpiRun::Seconds MpiRun::EndTime() {
  return std::getenv("INFER_TEST_KILLS") == nullptr ? kHangLimit : Seconds(5);
}

bool MpiRun::Wait(Seconds limit) {
  if (!over_) FindRanks();
  const Clock::time_point end = Clock::now() + std::chrono::duration_cast<Clock::duration>(limit);
  while (!IsOver() || std::ranges::any_of(ranks_, Runs)) {
    if (Clock::now() > end) return false;
    std::this_thread::sleep_for(kLook);
  }
  return true;
}

CapturedRun MpiRun::result() const { return {code_, out(), ReadFile(dir_.Path("err"))}; }

std::vector<std::string> MpiRun::Errors() const {
  std::istringstream lines(ReadFile(dir_.Path("err")));
  std::vector<std::string> errors;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("error: ")) errors.push_back(line);
  }
  return errors;
}

}  // namespace infer
