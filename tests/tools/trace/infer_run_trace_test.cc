// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <vector>

#include "ir/base/json.h"
#include "tests/backends/parallel/tbb_under_sanitizer.h"
#include "tests/runtime/trace/read_perfetto.h"
#include "tests/tools/e2e/tool_run.h"

namespace infer {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::vector<std::string> Args(std::vector<std::string> more) {
  std::vector<std::string> args = {"-p", "Once upon a time", "-n", "4", "--temp", "0"};
  args.insert(args.end(), more.begin(), more.end());
  return args;
}

std::string Traced(const std::string& path, std::vector<std::string> more = {}) {
  more.insert(more.end(), {"--trace", path});
  CapturedRun run = RunNamed("infer-run", Args(more));
  EXPECT_EQ(run.code, 0) << run.err;
  return ReadFile(path);
}

int64_t Ns(const Json& us) { return std::llround(us.get<double>() * 1000); }

// Every event complete, every slice inside or beside every other one of its thread.
void CheckChromeTrace(const Json& trace) {
  std::map<int, std::vector<int64_t>> open;  // ends of the slices around, by thread
  std::map<int, int64_t> last_start;
  std::map<int, std::string> names;
  for (const Json& event : trace.at("traceEvents")) {
    const std::string ph = event.at("ph");
    const int tid = event.at("tid");
    ASSERT_EQ(event.at("pid"), 1);
    ASSERT_GE(event.at("ts").get<double>(), 0);
    if (event.at("name") == "thread_name") names[tid] = event.at("args").at("name");
    if (ph != "X") continue;
    ASSERT_TRUE(names.contains(tid)) << event;
    const int64_t start = Ns(event.at("ts"));
    const int64_t end = start + Ns(event.at("dur"));
    ASSERT_GE(end, start) << event;
    ASSERT_GE(start, last_start[tid]) << event;
    last_start[tid] = start;
    std::vector<int64_t>& around = open[tid];
    while (!around.empty() && around.back() <= start) around.pop_back();
    if (!around.empty()) {
      ASSERT_LE(end, around.back()) << event;
    }
    around.push_back(end);
  }
}

TEST(InferRunTrace, ChromeJsonIsValidForBothKindsOfThreads) {
  for (const char* by : {"team", "tbb"}) {
    if (kTbbLooksLikeRaces && std::string(by) == "tbb") continue;
    TempDir dir;
    const Json trace = Json::parse(
        Traced(dir.Path("t.json"), {"-t", "2", "--threads-by", by, "--policy", "parallel"}));
    CheckChromeTrace(trace);
    EXPECT_EQ(trace["otherData"]["threads"], 2);
    EXPECT_EQ(trace["otherData"]["threads_by"], by);
    EXPECT_EQ(trace["otherData"]["policy"], "parallel");
    std::map<std::string, int> kinds;
    for (const Json& event : trace["traceEvents"]) {
      ++kinds[event.value("cat", event["ph"].get<std::string>())];
      if (event.value("cat", "") != "parallel") continue;
      EXPECT_THAT(event["args"]["results"].get<std::string>(), Not(HasSubstr("T"))) << event;
      EXPECT_EQ(event["args"]["node"].get<std::string>().size(), 16u);
    }
    EXPECT_EQ(kinds["call"], 4);  // prompt and three tokens
    EXPECT_EQ(kinds["C"], 16);
    EXPECT_GT(kinds["parallel"], 100);
    EXPECT_GT(kinds["wait"], 0);
  }
}

TEST(InferRunTrace, PerfettoFileHoldsTheSameSlices) {
  TempDir dir;
  const test::ReadTrace trace =
      test::ReadPerfetto(Traced(dir.Path("t.pftrace"), {"-t", "2", "--policy", "parallel"}));
  EXPECT_THAT(trace.problems, IsEmpty());
  int calls = 0;
  int steps = 0;
  for (const test::ReadSlice& slice : trace.Named("thread 0").slices) {
    EXPECT_GE(slice.end_ns, slice.start_ns);
    EXPECT_EQ(slice.depth, slice.category == "call" ? 0 : 1) << slice.name;
    calls += slice.category == "call";
    steps += slice.fields.contains("scope");
  }
  EXPECT_EQ(calls, 4);
  EXPECT_GT(steps, 100);
  EXPECT_FALSE(trace.Named("thread 1").slices.empty());
  const auto& kv = trace.Named("KV cache").values;
  ASSERT_EQ(kv.size(), 8u);
  EXPECT_EQ(kv.front().second, 0);
  EXPECT_GT(kv.back().second, kv[1].second);
}

TEST(InferRunTrace, AndAProfileOfTheSameRun) {
  TempDir dir;
  Traced(dir.Path("t.json"), {"--profile", dir.Path("p.pb"), "--policy", "scalar"});
  EXPECT_THAT(OutputOf("infer-profile", {dir.Path("p.pb")}), HasSubstr("3 calls with T = 1"));
}

TEST(InferRunTrace, DoesNotChangeTheText) {
  TempDir dir;
  CapturedRun plain = RunNamed("infer-run", Args({"-q"}));
  CapturedRun traced = RunNamed("infer-run", Args({"-q", "--trace", dir.Path("t.json")}));
  EXPECT_EQ(traced.out, plain.out);
  EXPECT_EQ(traced.err, "");
}

TEST(InferRunTrace, RefusesNamesBeforeTheModelIsOpened) {
  CapturedRun run = RunNamed("infer-run", {"-m", "/nonexistent", "-p", "x", "--trace", "t.txt"});
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err, HasSubstr("end it with .pftrace"));
  EXPECT_EQ(RunNamed("infer-run", Args({"--trace", "t.json", "--verify-against", "scalar"})).code,
            2);
}

TEST(InferRunTrace, SaysWhichFileCannotBeWritten) {
  CapturedRun run = RunNamed("infer-run", Args({"-q", "--trace", "/nonexistent/t.json"}));
  EXPECT_EQ(run.code, 1);
  EXPECT_EQ(run.out, "");  // known before the first token
  EXPECT_THAT(run.err, ContainsRegex("^error: /nonexistent/t.json: .*No such file"));
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP();
  TempDir dir;
  std::filesystem::create_symlink("/dev/full", dir.Path("t.pftrace"));
  run = RunNamed("infer-run", Args({"-q", "--trace", dir.Path("t.pftrace")}));
  EXPECT_EQ(run.code, 1);
  EXPECT_THAT(run.err, HasSubstr("t.pftrace: write failed: No space left on device"));
  EXPECT_FALSE(run.out.empty());
}

TEST(InferRunTrace, LogsStepsOfEachCallOnRequest) {
  CapturedRun run = RunNamed("infer-run", Args({"--policy", "scalar"}), {{"INFER_LOG", "trace"}});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.err, ContainsRegex("\\[call 4\\] \\(T=1, R=1, S=[0-9]+\\) [0-9.]+[um]s\n-> "));
  EXPECT_THAT(run.err, ContainsRegex("\n-> \\[layer\\.5\\] [0-9.]+[um]s\n-> -> \\["));
  EXPECT_THAT(run.err, ContainsRegex("\n-> -> -> \\[scalar\\] \\[linear\\] [a-z_+]+ "
                                     "\\(f32\\[1,[0-9]+\\], q8_0\\[[0-9,]+\\]\\) [0-9.]+[um]s\n"));
  EXPECT_THAT(RunNamed("infer-run", Args({})).err, Not(HasSubstr("[call")));
}

TEST(InferRunTrace, RefusesALevelOfLogThatIsNone) {
  CapturedRun run = RunNamed("infer-run", Args({}), {{"INFER_LOG", "loud"}});
  EXPECT_EQ(run.code, 2);
  EXPECT_EQ(run.err,
            "error: INFER_LOG=loud is not a log level; use error, info, verbose, debug or trace\n");
}

}  // namespace
}  // namespace infer
