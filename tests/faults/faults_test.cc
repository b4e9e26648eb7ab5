// SPDX-License-Identifier: Apache-2.0
//
// The tools with the fault injector: whichever call of the C library fails, a tool ends with an
// error line and the exit code of the table, or with the output that it has without a fault.
// INFER_TEST_FAULT_STRIDE=1 tries every allocation; without it, a slice with a fixed beginning.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "ir/base/strings.h"
#include "tests/faults/fault_slice.h"
#include "tests/tools/cli/captured_run.h"

namespace infer {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

// `-t 1`: a process that forks at each call must have one thread.
constexpr const char* kCompile = "$FAULT $BIN/infer-compile -t 1 --emit text -o -";
// Prints how long it took.
constexpr const char* kStore = "$FAULT $BIN/infer-compile -t 1 -o $DIR/p.pb";
constexpr const char* kRun =
    "$FAULT $BIN/infer-run -q -t 1 -p 'Once upon a time' -n 3 --temp 0 --policy simd";
constexpr const char* kFaultChat =
    "$FAULT $BIN/infer-run -q -t 1 --chat -p 'Hello' -n 3 --temp 0 --json --policy scalar";
// A conversation from stdin that is kept in a file and read back.
constexpr const char* kTalk =
    "printf 'Hello\\n/save %s\\nAgain\\n/load %s\\n' $DIR/c.json $DIR/c.json | "
    "$FAULT $BIN/infer-run -q -t 1 --chat -n 3 --temp 0 --policy scalar";
constexpr const char* kTokenize =
    "echo 'Once upon <|im_end|>' | $FAULT $BIN/infer-tokenize --ids -";
// Until it starts the thread that runs requests, just before it listens.
constexpr const char* kServe = "$FAULT $BIN/infer-serve -q -t 1 --port 0";
constexpr const char* kInspect = "$FAULT $BIN/gguf-inspect verify $MODEL";

class Faults : public ::testing::Test {
 protected:
  // `fault` are the variables of the injector; none: a run without faults. Only the tool itself is
  // started with them, in place of $FAULT.
  CapturedRun Run(const std::string& command, const std::string& fault = "") const {
    const std::string injector = "env LD_PRELOAD=" INFER_BIN_DIR "/libfault_injector.so ";
    return RunShell(StrCat("export LC_ALL=C.UTF-8 DIR='", dir_.path(), "' MODEL='",
                           INFER_SOURCE_DIR, "/tools/assets/tiny-tales-q8_0.gguf'\nFAULT=\"",
                           fault.empty() ? "" : injector + fault, "\"\n", command));
  }

  // Fails each call of that kind in turn. `codes` are the exit codes that are allowed.
  void FailEvery(const std::string& kind, int stride, const std::string& codes,
                 const std::string& command) const {
    // The injector ends a server also where it has nothing to fail.
    const CapturedRun plain = Run(command, StrCat("INFER_TEST_FAULT=", kind, ":every:", INT_MAX));
    ASSERT_EQ(plain.code, 0) << plain.err;
    WriteFile(dir_.Path("output"), plain.out);
    const std::string log = dir_.Path("log");
    std::remove(log.c_str());
    const CapturedRun run = Run(
        command, StrCat("INFER_TEST_FAULT=", kind, ":every:", FirstFault(), ":", stride,
                        " INFER_TEST_FAULT_LOG=", log, " INFER_TEST_FAULT_CODES=", codes,
                        " INFER_TEST_FAULT_OUTPUT=", command == kStore ? "" : dir_.Path("output")));
    // A child that fails removes the temporary file, which is also the parent's.
    if (command != kStore) {
      EXPECT_EQ(run.code, 0) << run.err;
      EXPECT_EQ(run.out, plain.out);
    }
    const std::string report = ReadFile(log);
    EXPECT_THAT(report, HasSubstr("tried "));
    EXPECT_THAT(report, EndsWith(", failed 0\n")) << command;
    const bool has_threads = report.find("a thread was started") != report.npos;
    EXPECT_EQ(has_threads, command == kServe) << command;
    std::printf("%s: %s", kind.c_str(), report.substr(report.rfind("tried ")).c_str());
  }

  // The same for a tool that shares its input with others and thus cannot be tried in a child: a
  // run for each call, up to the number of calls that a run makes.
  void FailEveryOnce(const std::string& kind, int stride, const std::string& codes,
                     const std::string& command) const {
    const CapturedRun plain = Run(command);
    ASSERT_EQ(plain.code, 0) << plain.err;
    const std::string log = dir_.Path("log");
    int tried = 0;
    for (int call = 1;; call += stride, ++tried) {
      std::remove(log.c_str());
      const CapturedRun run =
          Run(command, StrCat("INFER_TEST_FAULT=", kind, ":", call, " INFER_TEST_FAULT_LOG=", log));
      if (ReadFile(log).empty()) break;
      if (run.code == 0 && run.out == plain.out) continue;
      // A command of a conversation that fails says so, and the conversation goes on.
      EXPECT_THAT(run.err, HasSubstr("error: ")) << kind << " " << call;
      EXPECT_THAT(StrCat(",", codes, ",0,"), HasSubstr(StrCat(",", run.code, ","))) << run.err;
    }
    EXPECT_GT(tried, 0) << kind << ": no call to fail";
    std::printf("%s: tried %d\n", kind.c_str(), tried);
  }

  TempDir dir_;
};

TEST_F(Faults, AllocationsOfCompiling) { FailEvery("alloc", FaultStride(2999), "4", kCompile); }
TEST_F(Faults, AllocationsOfRunning) { FailEvery("alloc", FaultStride(3989), "4", kRun); }
TEST_F(Faults, AllocationsOfAChat) { FailEvery("alloc", FaultStride(3989), "4", kFaultChat); }
TEST_F(Faults, AllocationsOfTokenizing) { FailEvery("alloc", FaultStride(997), "4", kTokenize); }
TEST_F(Faults, AllocationsOfInspecting) { FailEvery("alloc", FaultStride(397), "4", kInspect); }
TEST_F(Faults, AllocationsOfServing) { FailEvery("alloc", FaultStride(3989), "4", kServe); }

TEST_F(Faults, Writes) {
  for (const char* command : {kStore, kCompile, kRun, kTokenize, kInspect}) {
    FailEvery("write", 1, "1", command);
  }
}

TEST_F(Faults, Reads) {
  for (const char* command : {kStore, kCompile, kRun, kTokenize, kInspect}) {
    FailEvery("read", 1, "1,3", command);
  }
}

TEST_F(Faults, OpeningFiles) {
  for (const char* command : {kStore, kCompile, kRun, kTokenize, kInspect}) {
    FailEvery("open", 1, "1,3", command);
  }
}

TEST_F(Faults, MappingMemory) {
  for (const char* command : {kStore, kRun, kInspect}) FailEvery("map", 1, "4", command);
}

TEST_F(Faults, ShortReadsAndWritesChangeNothing) {
  for (const char* command : {kRun, kTokenize, kInspect}) {
    const CapturedRun plain = Run(command), cut = Run(command, "INFER_TEST_FAULT=write:short");
    EXPECT_EQ(cut.code, 0) << cut.err;
    EXPECT_EQ(cut.out, plain.out);
  }
  const std::string keep = "$FAULT $BIN/infer-compile -o $DIR/";
  ASSERT_EQ(Run(keep + "plain.pb").code, 0);
  ASSERT_EQ(Run(keep + "cut.pb", "INFER_TEST_FAULT=write:short").code, 0);
  EXPECT_EQ(ReadFile(dir_.Path("cut.pb")), ReadFile(dir_.Path("plain.pb")));
}

TEST_F(Faults, AThreadThatDoesNotStart) {
  for (const char* threads : {"", " --threads-by tbb"}) {
    for (int call = 1; call <= 4; ++call) {
      const CapturedRun run =
          Run(StrCat("$FAULT $BIN/infer-run -q -t 3 --policy parallel -p Hello -n 1", threads),
              StrCat("INFER_TEST_FAULT=thread:", call));
      EXPECT_THAT(run.code, ::testing::AnyOf(0, 4)) << run.err;
      if (run.code != 0) {
        EXPECT_THAT(run.err, HasSubstr("error: "));
      }
    }
  }
}

// The file of a conversation, what the user says, and the answers.
TEST_F(Faults, InputAndOutputOfAChat) {
  FailEveryOnce("read", FaultStride(3), "1,3", kTalk);
  FailEveryOnce("write", FaultStride(3), "1", kTalk);
  FailEveryOnce("open", FaultStride(3), "1,3", kTalk);
}

// A mistake in the flags is 2, and a lack of memory while they are read is not one.
TEST_F(Faults, AllocationsWhileFlagsAreParsed) {
  FailEvery("alloc", FaultStride(7), "4", "$FAULT $BIN/infer-run --version");
}

}  // namespace
}  // namespace infer
