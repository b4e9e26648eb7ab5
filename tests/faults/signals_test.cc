// SPDX-License-Identifier: Apache-2.0
//
// SIGINT and SIGTERM at random moments: what was written is a beginning of the whole output, the
// exit code is that of the signal, and no temporary file is left. INFER_TEST_SIGNALS sets how many
// are sent to each tool, INFER_TEST_SEED when.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <ostream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/tools/cli/captured_run.h"

namespace infer {
namespace {

using Clock = std::chrono::steady_clock;
using ::testing::StartsWith;

struct Ended {
  int code = -1;  // 128 + the signal if it killed the process
  std::string out;
  std::string err;
  std::chrono::duration<double> time{0};
  std::chrono::duration<double> after_signal{0};
};

struct Storm {
  const char* name;
  std::vector<std::string> args;  // the first is the tool
  bool streams = false;           // stdout grows while it runs
  bool prints_time = false;       // stdout is never the same twice
};

void PrintTo(const Storm& storm, std::ostream* out) { *out << storm.name; }

class Signals : public testing::TestWithParam<Storm> {
 protected:
  // Sends `number` after `delay`; 0: none.
  Ended Run(int number, std::chrono::duration<double> delay) const {
    const std::string out = dir_.Path("out"), err = dir_.Path("err");
    const Clock::time_point start = Clock::now();
    const pid_t child = fork();
    if (child == 0) Exec(out, err);
    Ended ended;
    Clock::time_point sent = start;
    if (number != 0) {
      std::this_thread::sleep_for(delay);
      sent = Clock::now();
      kill(child, number);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ended.time = Clock::now() - start;
    ended.after_signal = Clock::now() - sent;
    ended.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    ended.out = ReadFile(out);
    ended.err = ReadFile(err);
    return ended;
  }

  TempDir dir_;

 private:
  [[noreturn]] void Exec(const std::string& out, const std::string& err) const {
    dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
    dup2(open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO);
    dup2(open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
    if (chdir(dir_.path().c_str()) != 0) _exit(99);
    std::vector<std::string> args = GetParam().args;
    const std::string program = INFER_BIN_DIR "/" + args[0];
    std::vector<char*> argv;
    for (std::string& arg : args) argv.push_back(arg.data());
    argv.push_back(nullptr);
    execv(program.c_str(), argv.data());
    _exit(99);
  }
};

int NumberFrom(const char* variable, int otherwise) {
  const char* value = std::getenv(variable);
  return value == nullptr ? otherwise : std::atoi(value);
}

TEST_P(Signals, LoseNoOutput) {
  const Ended whole = Run(0, {});
  ASSERT_EQ(whole.code, 0) << whole.err;
  const std::vector<std::string> names = dir_.Names();
  std::mt19937 random(NumberFrom("INFER_TEST_SEED", 22));
  std::uniform_real_distribution<double> moment(0, 1.05 * whole.time.count());
  const int count = NumberFrom("INFER_TEST_SIGNALS", 6);
  for (int i = 0; i < count; ++i) {
    const int number = i % 2 == 0 ? SIGINT : SIGTERM;
    const Ended ended = Run(number, std::chrono::duration<double>(moment(random)));
    if (ended.code == 0) {
      if (!GetParam().prints_time) {
        EXPECT_EQ(ended.out, whole.out);
      }
      continue;
    }
    EXPECT_EQ(ended.code, 128 + number) << ended.err;
    if (GetParam().streams) {
      std::string begun = ended.out;
      if (begun.ends_with('\n')) begun.pop_back();  // ends the last line
      EXPECT_THAT(whole.out, StartsWith(begun));
    }
    // A process that has not reached its main yet ends by the signal itself.
    if (!ended.err.empty()) {
      EXPECT_THAT(ended.err, testing::HasSubstr("interrupted by SIG"));
    }
    for (const std::string& name : dir_.Names()) {
      EXPECT_THAT(names, testing::Contains(name)) << "is left over";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Tools, Signals,
    testing::Values(
        Storm{
            "run", {"infer-run", "-q", "-p", "Once upon a time", "-n", "120", "--temp", "0"}, true},
        Storm{"chat",
              {"infer-run", "-q", "--chat", "-p", "Tell me a tale", "-n", "120", "--temp", "0"},
              true},
        Storm{"compile", {"infer-compile", "-q", "-o", "p.pb"}, false, true},
        Storm{"policy", {"infer-policy", "check", "auto"}},
        Storm{"synth",
              {"infer-synth", "-q", "--shape", "0.6b", "--layers", "2", "--vocab", "small", "-o",
               "m.gguf"}},
        Storm{"perplexity",
              {"infer-eval", "perplexity", "-q", "-f", INFER_SOURCE_DIR "/README.md", "--ctx",
               "64"}}),
    [](const auto& storm) { return storm.param.name; });

}  // namespace
}  // namespace infer
