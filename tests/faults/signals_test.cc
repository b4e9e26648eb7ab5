// SPDX-License-Identifier: Apache-2.0
//
// SIGINT and SIGTERM at random moments: the tool ends, with the exit code of the signal; what it
// had written by then is there, and is a beginning of the whole output; files are whole, and no
// temporary one is left. INFER_TEST_SIGNALS sets how many are sent to each tool, INFER_TEST_SEED
// when.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ostream>
#include <random>
#include <regex>
#include <string>
#include <vector>

#include "tests/tools/cli/captured_run.h"

namespace infer {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;
using ::testing::AnyOf;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr const char* kModel = INFER_SOURCE_DIR "/tools/assets/tiny-tales-q8_0.gguf";

// What the output of an interrupted run is, compared with that of a whole one.
enum class Output {
  kBeginning,  // written as it comes
  kIds,        // the same, as many as the statistics on stderr say
  kAtTheEnd,   // all of it or nothing
  kWithTimes,  // the same, and never the same twice
  kResult,     // of what was done by then
};

struct Storm {
  const char* name;
  std::vector<std::string> args;  // the first is the tool
  Output output;
  const char* file = nullptr;  // that it writes
};

void PrintTo(const Storm& storm, std::ostream* out) { *out << storm.name; }

struct Ended {
  int code = -1;  // 128 + the signal if it killed the process
  std::string out;
  std::string err;
  std::string seen;  // of the output, before the signal was sent
  Seconds time{0};
};

// When a signal is sent: after this time, or as soon as the output has begun.
struct Moment {
  int number = 0;  // 0: no signal
  Seconds delay{0};
  bool once_output_begins = false;
};

class Signals : public ::testing::TestWithParam<Storm> {
 protected:
  Ended Run(const Moment& moment) const {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    // Empty before there is a process, which a signal may end before it does anything.
    const std::string err_path = dir_.Path("err");
    const int err = open(err_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    for (const int fd : {ends[0], ends[1], err}) fcntl(fd, F_SETFD, FD_CLOEXEC);
    const Clock::time_point start = Clock::now();
    const pid_t child = fork();
    if (child == 0) Exec(ends[1], err);
    close(ends[1]);
    close(err);
    Ended ended;
    bool waits = moment.number != 0;
    while (true) {
      if (waits && IsDue(moment, ended, Clock::now() - start)) {
        waits = false;
        ended.seen = ended.out;
        kill(child, moment.number);
      }
      pollfd readable = {ends[0], POLLIN, 0};
      if (poll(&readable, 1, waits ? 1 : -1) <= 0) continue;
      char bytes[4096];
      const ssize_t count = read(ends[0], bytes, sizeof(bytes));
      if (count <= 0) break;
      ended.out.append(bytes, static_cast<size_t>(count));
    }
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    ended.time = Clock::now() - start;
    ended.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    ended.err = ReadFile(err_path);
    return ended;
  }

  void ExpectOutput(const Ended& ended, const Ended& whole) const {
    EXPECT_THAT(ended.out, StartsWith(ended.seen));
    std::string begun = ended.out;
    switch (GetParam().output) {
      case Output::kBeginning:
      case Output::kIds:
        if (begun.ends_with('\n')) begun.pop_back();  // ends the last line
        EXPECT_THAT(whole.out, StartsWith(begun));
        if (GetParam().output == Output::kIds) ExpectAllIds(begun, ended.err);
        return;
      case Output::kAtTheEnd:
        EXPECT_THAT(begun, AnyOf(IsEmpty(), whole.out));
        return;
      case Output::kWithTimes:
        if (begun.empty()) return;
        EXPECT_EQ(std::ranges::count(begun, '\n'), std::ranges::count(whole.out, '\n')) << begun;
        EXPECT_THAT(begun, ::testing::EndsWith("\n"));
        return;
      case Output::kResult:
        EXPECT_THAT(begun,
                    AnyOf(IsEmpty(), whole.out,
                          ::testing::MatchesRegex(".* in [0-9]+ of [0-9]+ windows of [0-9]+; "
                                                  "interrupted, a part of the text\n")));
        return;
    }
  }

  // No token that was sampled is missing.
  static void ExpectAllIds(const std::string& ids, const std::string& err) {
    std::smatch count;
    if (!std::regex_search(err, count,
                           std::regex(R"((\d+) tokens?( at [\d.]+ tokens/s)?; prompt)"))) {
      EXPECT_EQ(ids, "") << err;
      return;
    }
    const int64_t written = ids.empty() ? 0 : 1 + std::ranges::count(ids, ',');
    EXPECT_EQ(written, std::atoll(count[1].str().c_str())) << err;
  }

  // Whatever happened, the file that a whole run has left is one of a whole run.
  void ExpectFile(const std::string& whole) const {
    if (GetParam().file == nullptr) return;
    EXPECT_TRUE(ReadFile(dir_.Path(GetParam().file)) == whole) << GetParam().file << " has changed";
  }

  TempDir dir_;

 private:
  static bool IsDue(const Moment& moment, const Ended& ended, Seconds passed) {
    return moment.once_output_begins ? !ended.out.empty() : passed >= moment.delay;
  }

  [[noreturn]] void Exec(int out, int err) const {
    dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
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
  const Ended whole = Run({});
  ASSERT_EQ(whole.code, 0) << whole.err;
  const std::vector<std::string> names = dir_.Names();
  const std::string file = GetParam().file == nullptr ? "" : ReadFile(dir_.Path(GetParam().file));
  std::mt19937 random(NumberFrom("INFER_TEST_SEED", 22));
  std::uniform_real_distribution<double> delay(0, 1.05 * whole.time.count());
  const int count = NumberFrom("INFER_TEST_SIGNALS", 6);
  for (int i = 0; i < count; ++i) {
    const Moment moment = {i % 2 == 0 ? SIGINT : SIGTERM, Seconds(delay(random))};
    const Ended ended = Run(moment);
    ExpectFile(file);
    if (ended.code == 0) {
      if (GetParam().output != Output::kWithTimes) {
        EXPECT_EQ(ended.out, whole.out);
      }
      continue;
    }
    EXPECT_EQ(ended.code, 128 + moment.number) << ended.err;
    ExpectOutput(ended, whole);
    // A process that has not reached its main yet, or has left it, ends by the signal itself.
    const bool has_all = !whole.out.empty() && ended.out == whole.out;
    if (!ended.err.empty() && !has_all) {
      EXPECT_THAT(ended.err, ::testing::HasSubstr("interrupted by SIG"));
    }
    for (const std::string& name : dir_.Names()) {
      EXPECT_THAT(names, ::testing::Contains(name)) << "is left over";
    }
  }
}

// Storms whose output comes bit by bit.
class StreamSignals : public Signals {};

// In the middle of the output, whatever the machine has to do.
TEST_P(StreamSignals, KeepWhatHasBeenRead) {
  const Ended whole = Run({});
  for (const int number : {SIGINT, SIGTERM}) {
    const Ended ended = Run({.number = number, .once_output_begins = true});
    EXPECT_EQ(ended.code, 128 + number) << ended.err;
    EXPECT_NE(ended.seen, "");
    EXPECT_LT(ended.out.size(), whole.out.size()) << "has ended before the signal";
    ExpectOutput(ended, whole);
  }
}

const std::vector<Storm> kStreams = {
    {"run",
     {"infer-run", "-q", "-p", "Once upon a time", "-n", "120", "--temp", "0"},
     Output::kBeginning},
    {"ids",
     {"infer-run", "-p", "Once upon a time", "-n", "300", "--temp", "0", "--ignore-eos", "--emit",
      "ids"},
     Output::kIds},
    {"chat",
     {"infer-run", "-q", "--chat", "-p", "Tell me a tale", "-n", "120", "--temp", "0"},
     Output::kBeginning},
    {"drafts",
     {"infer-run", "-q", "-p", "Once upon a time", "-n", "120", "--temp", "0", "--ignore-eos",
      "--spec", "draft", "--draft-model", kModel},
     Output::kBeginning},
};

const std::vector<Storm> kOthers = {
    {"verify",
     {"infer-run", "-q", "-p", "Once upon a time", "-n", "8", "--policy", "simd",
      "--verify-against", "scalar:1"},
     Output::kAtTheEnd},
    {"compile", {"infer-compile", "-q", "-o", "p.pb"}, Output::kWithTimes, "p.pb"},
    {"policy", {"infer-policy", "check", "auto"}, Output::kAtTheEnd},
    {"synth",
     {"infer-synth", "-q", "--shape", "0.6b", "--layers", "2", "--vocab", "small", "-o", "m.gguf"},
     Output::kAtTheEnd,
     "m.gguf"},
    {"perplexity",
     {"infer-eval", "perplexity", "-q", "-f", INFER_SOURCE_DIR "/README.md", "--ctx", "64"},
     Output::kResult},
};

std::string NameOf(const ::testing::TestParamInfo<Storm>& storm) { return storm.param.name; }

INSTANTIATE_TEST_SUITE_P(Tools, Signals, ::testing::ValuesIn(kOthers), NameOf);
INSTANTIATE_TEST_SUITE_P(Streams, Signals, ::testing::ValuesIn(kStreams), NameOf);
INSTANTIATE_TEST_SUITE_P(Streams, StreamSignals, ::testing::ValuesIn(kStreams), NameOf);

}  // namespace
}  // namespace infer
