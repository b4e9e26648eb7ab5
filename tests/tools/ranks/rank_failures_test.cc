// SPDX-License-Identifier: Apache-2.0
//
// What happens to a divided run when a rank stops, dies or is asked to end: all ranks end in time,
// one line of ours says which rank did what and where, and stdout is the beginning of the text that
// one process writes. INFER_TEST_KILLS sets how many runs lose a rank at a random moment (50 in a
// full run).
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "ir/base/strings.h"
#include "tests/tools/ranks/mpi_run.h"

namespace infer {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr size_t kFirstText = 40;  // bytes: the run is in the middle of its calls

// The bundled model takes seconds for this many tokens.
const std::vector<std::string>& LongRun() {
  static const std::vector<std::string> args = {"-q",     "-p", "Once upon a time", "-n", "900",
                                                "--temp", "0",  "--ignore-eos"};
  return args;
}

const std::string& WholeText() {
  static const std::string text =
      RunShell("$BIN/infer-run -q -p 'Once upon a time' -n 900 --temp 0 --ignore-eos").out;
  return text;
}

std::string HostName() {
  char name[64] = {};
  gethostname(name, sizeof(name) - 1);
  return name;
}

// The everyday run tries some of the cases.
bool TriesAllFailures() { return std::getenv("INFER_TEST_KILLS") != nullptr; }

class RankFailures : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = WhyNoMpi(); !why.empty()) GTEST_SKIP() << why;
    ASSERT_GT(WholeText().size(), 10 * kFirstText);
    // A fast machine would have finished the run before a signal reaches it.
    setenv("INFER_NETWORK", "500us", /*overwrite=*/1);
  }

  // The text up to an interruption ends with a newline of its own.
  static void ExpectPrefix(std::string out) {
    if (!WholeText().starts_with(out) && out.ends_with('\n')) out.pop_back();
    EXPECT_THAT(WholeText(), StartsWith(out));
  }

  static void ExpectInterrupted(MpiRun& run) {
    EXPECT_TRUE(run.Wait(MpiRun::EndTime()));
    EXPECT_NE(run.result().code, 0);
    ExpectPrefix(run.out());
    ASSERT_THAT(run.Errors(), SizeIs(1)) << run.result().err;
    EXPECT_THAT(run.Errors()[0], StartsWith("error: interrupted by SIG"));
  }

  static void ExpectEnd(MpiRun& run, int rank, const std::string& what) {
    EXPECT_TRUE(run.Wait(MpiRun::EndTime()))
        << "still running " << MpiRun::EndTime().count() << " s later";
    EXPECT_NE(run.result().code, 0);
    ExpectPrefix(run.out());
    ASSERT_THAT(run.Errors(), SizeIs(1)) << run.result().err;
    EXPECT_THAT(run.Errors()[0], StartsWith(StrCat("error: rank ", rank, " (host ", HostName())));
    EXPECT_THAT(run.Errors()[0], HasSubstr(what));
  }
};

TEST_F(RankFailures, KilledRankEndsAll) {
  for (int rank : {0, 1}) {
    MpiRun run(SameCommand(2, "infer-run", LongRun()));
    ASSERT_TRUE(run.WaitForOutput(kFirstText)) << run.result().err;
    run.Signal(rank, SIGKILL);
    ExpectEnd(run, rank, " ended unexpectedly in call ");
  }
}

// Without a network the ranks have memory in common and send nothing in their calls.
TEST_F(RankFailures, RankThatIsMissedAtAMeetingEndsAll) {
  unsetenv("INFER_NETWORK");
  for (int signal : {SIGKILL, SIGSTOP}) {
    for (int rank : {0, 1}) {
      if (!TriesAllFailures() && rank == (signal == SIGKILL ? 0 : 1)) continue;
      MpiRun run(SameCommand(2, "infer-run", LongRun()));
      ASSERT_TRUE(run.WaitForOutput(kFirstText)) << run.result().err;
      run.Signal(rank, signal);
      ExpectEnd(run, rank,
                signal == SIGKILL ? " ended unexpectedly in call " : " has not answered for ");
    }
  }
}

// At moments around the one when the ranks agree on what they have loaded.
TEST_F(RankFailures, RankKilledWhileItLoadsEndsAll) {
  for (int rank : {0, 1}) {
    for (int ms : {0, 15, 20, 25}) {
      if (!TriesAllFailures() && ms != (rank == 0 ? 15 : 25)) continue;
      SCOPED_TRACE(StrCat("rank ", rank, " ", ms, " ms after it has mapped the model"));
      MpiRun run(SameCommand(2, "infer-run", LongRun()));
      ASSERT_TRUE(run.WaitForModel(rank));
      std::this_thread::sleep_for(std::chrono::milliseconds(ms));
      run.Signal(rank, SIGKILL);
      ExpectEnd(run, rank, " ended unexpectedly");
    }
  }
}

TEST_F(RankFailures, StoppedRankEndsAll) {
  for (int rank : {0, 1}) {
    MpiRun run(SameCommand(2, "infer-run", LongRun()));
    ASSERT_TRUE(run.WaitForOutput(kFirstText)) << run.result().err;
    run.Signal(rank, SIGSTOP);
    ExpectEnd(run, rank, " has not answered for ");
  }
}

// Rank 0 is the one that talks: its end is an ordinary one. Another rank is missed by it.
TEST_F(RankFailures, TerminatedRankEndsAll) {
  for (int rank : {0, 1}) {
    MpiRun run(SameCommand(2, "infer-run", LongRun()));
    ASSERT_TRUE(run.WaitForOutput(kFirstText)) << run.result().err;
    run.Signal(rank, SIGTERM);
    if (rank == 1) {
      ExpectEnd(run, rank, "was asked to end by a signal");
      continue;
    }
    EXPECT_TRUE(run.Wait(MpiRun::EndTime()));
    EXPECT_EQ(run.result().code, 143);
    ExpectPrefix(run.out());
    EXPECT_EQ(run.Errors(), std::vector<std::string>{"error: interrupted by SIGTERM"});
  }
}

// mpirun asks the ranks to end a second after it was asked itself, and kills them another second
// later, which a call on a busy machine may take; here both take more seconds.
class PatientLauncher {
 public:
  explicit PatientLauncher(const char* seconds) { setenv(kVariable, seconds, /*overwrite=*/1); }
  ~PatientLauncher() { unsetenv(kVariable); }
  PatientLauncher(const PatientLauncher&) = delete;
  PatientLauncher& operator=(const PatientLauncher&) = delete;

 private:
  static constexpr const char* kVariable = "OMPI_MCA_odls_base_sigkill_timeout";
};

// Ctrl-C in a shell reaches mpirun only; whatever ends mpirun, the ranks get SIGTERM.
TEST_F(RankFailures, InterruptingMpirunEndsAllInOrder) {
  const PatientLauncher patient("3");
  for (int signal : {SIGINT, SIGTERM}) {
    MpiRun run(SameCommand(2, "infer-run", LongRun()));
    ASSERT_TRUE(run.WaitForOutput(kFirstText)) << run.result().err;
    run.SignalMpirun(signal);
    ExpectInterrupted(run);
  }
}

// The other rank gives up while rank 0 is in a long call, and must neither be blamed nor end first.
TEST_F(RankFailures, InterruptingMpirunInALongCallEndsAllInOrder) {
  const PatientLauncher patient("2");
  setenv("INFER_NETWORK", "100ms", /*overwrite=*/1);  // a call takes more than a second
  MpiRun run(SameCommand(2, "infer-run", LongRun()));
  ASSERT_TRUE(run.WaitForOutput(1)) << run.result().err;
  run.SignalMpirun(SIGINT);
  ExpectInterrupted(run);
}

// At any moment: while the ranks start, while they load, in the middle of a call.
TEST_F(RankFailures, KillsAtRandomMoments) {
  const char* text = std::getenv("INFER_TEST_KILLS");
  const int kills = text == nullptr ? 3 : std::atoi(text);
  std::mt19937 random(7);
  for (int i = 0; i < kills; ++i) {
    const int rank = static_cast<int>(random() % 2);
    const auto after = std::chrono::milliseconds(random() % 2500);
    SCOPED_TRACE(StrCat("run ", i, ": rank ", rank, " after ", after.count(), " ms"));
    MpiRun run(SameCommand(2, "infer-run", LongRun()));
    const pid_t pid = run.RankPid(rank);
    std::this_thread::sleep_for(after);
    if (pid > 0) kill(pid, SIGKILL);
    EXPECT_TRUE(run.Wait(MpiRun::EndTime()));
    ExpectPrefix(run.out());
    if (run.result().code == 0) {  // it was over before
      EXPECT_EQ(run.out(), WholeText());
      continue;
    }
    ASSERT_THAT(run.Errors(), SizeIs(1)) << run.result().err;
    EXPECT_THAT(run.Errors()[0], StartsWith(StrCat("error: rank ", rank, " (host ", HostName())));
  }
}

}  // namespace
}  // namespace infer
