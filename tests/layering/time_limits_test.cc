// SPDX-License-Identifier: Apache-2.0
// No test sleeps to wait for what it could observe, and none fails by a clock. A test waits with
// WaitUntil (tests/support/hang_limit.h) and bounds work by counting steps, bytes or calls. A file
// that sleeps or reads a clock all the same is an exception below.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace infer {
namespace {

using ::testing::IsEmpty;

struct TimeExceptions {
  std::string_view why;
  std::vector<std::string_view> files;  // of tests/
};

const std::array kTimeExceptions = {
    TimeExceptions{"waits for something, and calls it a hang after two minutes",
                   {"faults/fault_injector.cc", "stress/stress_threads.cc", "support/hang_limit.h",
                    "tools/serve/page/browser/open_page.mjs", "viz/browser/pages.mjs",
                    "viz/browser/views.test.mjs"}},
    TimeExceptions{
        "the same; only a full run (INFER_TEST_KILLS), on a machine with nothing else to do, "
        "allows ranks 5 s to end",
        {"tools/ranks/mpi_run.cc"}},
    TimeExceptions{
        "a pause stands for a slow network, client, reader or computation; a longer one does "
        "no harm",
        {"backends/ranks/collective_kernels_test.cc", "backends/ranks/ranks_backend_test.cc",
         "install/example/main.cc", "runtime/drafts_test.cc", "runtime/thread_team_test.cc",
         "tools/api/input_test.cc", "tools/api/worker_pool_test.cc",
         "tools/bench/serve/load_run_test.cc", "tools/bench/serve/serve_bench_test.cc",
         "tools/python/module_test.py", "tools/serve/page/mock_server.mjs"}},
    TimeExceptions{
        "the same; a client that the machine kept from being as fast as the server asks gets "
        "another turn",
        {"tools/serve/http/hostile_test.cc", "tools/serve/http/stream_test.cc"}},
    TimeExceptions{
        "something lasts at least as long as it should; a busy machine only adds to that",
        {"runtime/delayed_collective_test.cc", "runtime/mpi/stuck_launcher_test.cc",
         "runtime/serving/runner_report_test.cc", "tools/serve/http/limits_test.cc"}},
    TimeExceptions{"nothing must happen meanwhile; a busy machine makes that more likely",
                   {"runtime/mpi/mpi_ranks_test.cc", "runtime/mpi/start_watch_test.cc"}},
    TimeExceptions{"a time is a part of another",
                   {"backends/metal/host/metal_backend_test.cc", "passes/compile_test.cc",
                    "tools/bench/call_cost_test.cc"}},
    TimeExceptions{
        "a signal is sent at one moment or another of a process that shows nothing; each is "
        "right",
        {"faults/signals_test.cc", "tools/e2e/infer_eval_binary_test.cc",
         "tools/e2e/infer_run_binary_test.cc", "tools/ranks/rank_failures_test.cc"}},
    TimeExceptions{
        "a time is an input of what is tested",
        {"runtime/replacement_file_test.cc", "tools/serve/api/answer_output_test.cc",
         "tools/serve/http/exchange_test.cc", "tools/serve/metrics/process_stats_test.cc"}},
    TimeExceptions{
        "a time is shown, and nothing is expected of it",
        {"backends/metal/host/device_table_test.cc", "frontends/chat/render_template.cc",
         "frontends/tokenizer/tokenizer_speed.cc", "metal_emulation/device/command_buffer.cc",
         "tools/serve/http/slowhttptest_test.cc", "viz/measure.mjs"}},
};

constexpr std::string_view kTestSources[] = {".cc", ".h", ".py", ".sh", ".mjs"};
constexpr std::string_view kSleepsAndClocks[] = {
    "sleep_for(",      "sleep_until(",       "usleep(",          "nanosleep(",
    "setTimeout(",     "lock::now(",         "std::clock(",      "CLOCKS_PER_SEC",
    "clock_gettime(",  "gettimeofday(",      "ru_utime",         "ru_stime",
    "StepClockNs(",    "Date.now(",          "performance.now(", "time.time(",
    "time.monotonic(", "time.perf_counter(", "wait_for(",        "wait_until("};

bool IsWordPart(char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0; }

// The command of a shell, or the function of C or Python; but not the pause of a shell's loop that
// waits for something.
bool HasSleep(std::string_view line) {
  constexpr std::string_view kSleep = "sleep";
  constexpr std::string_view kSeconds = "0123456789$\"";  // how their number begins
  for (size_t at = line.find(kSleep); at != line.npos; at = line.find(kSleep, at + 1)) {
    const std::string_view before = line.substr(0, at);
    const std::string_view after = line.substr(at + kSleep.size());
    const bool is_word = before.empty() || !IsWordPart(before.back());
    if (!is_word || before.ends_with("do ")) continue;
    if (after.starts_with('(')) return true;
    if (after.size() > 1 && after[0] == ' ' && kSeconds.find(after[1]) != kSeconds.npos)
      return true;
  }
  return false;
}

// Whether a line sleeps or reads a clock. What ends at the limit for hangs may.
bool UsesTime(std::string_view line) {
  if (line.find("kHangLimit") != line.npos) return false;
  for (const std::string_view word : kSleepsAndClocks) {
    if (line.find(word) != line.npos) return true;
  }
  return HasSleep(line);
}

TEST(TimeLimits, AreExceptionsWithAReason) {
  std::set<std::string> unused;
  for (const TimeExceptions& exceptions : kTimeExceptions) {
    EXPECT_FALSE(exceptions.why.empty());
    for (const std::string_view file : exceptions.files) {
      EXPECT_TRUE(unused.emplace(file).second) << file << " is listed twice";
    }
  }
  const std::set<std::string> allowed = unused;
  const std::filesystem::path root = std::filesystem::path(INFER_SOURCE_DIR) / "tests";
  int files = 0;
  for (std::filesystem::recursive_directory_iterator entry(root), end; entry != end; ++entry) {
    const std::string file = entry->path().lexically_relative(root).generic_string();
    if (entry->path().filename() == "node_modules") entry.disable_recursion_pending();
    const std::string extension = entry->path().extension().string();
    if (std::ranges::count(kTestSources, extension) == 0 ||
        file == "layering/time_limits_test.cc") {
      continue;
    }
    ++files;
    std::ifstream source(entry->path());
    int number = 0;
    for (std::string line; std::getline(source, line);) {
      ++number;
      if (!UsesTime(line)) continue;
      unused.erase(file);
      EXPECT_TRUE(allowed.contains(file))
          << "tests/" << file << ":" << number << " " << line
          << "\nwait with WaitUntil, count instead of measuring, or add the file to "
             "tests/layering/time_limits_test.cc with the reason";
    }
  }
  EXPECT_GT(files, 100) << "no sources found under " << root;
  EXPECT_THAT(unused, IsEmpty()) << "exceptions that are none any more";
}

TEST(TimeLimits, SleepsAndClocksAreFound) {
  for (const char* line :
       {"  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));",
        "  EXPECT_LT(1000 * least / CLOCKS_PER_SEC, 120);", "  const auto end = Clock::now() + 5s;",
        "  std::this_thread::sleep_for(milliseconds(50));", "  for (; !done;) usleep(5000);",
        "  sleep(1);", "  time.sleep(0.001)", R"(RunShell("tool & sleep 1; kill $!");)",
        R"( " & pid=$!; sleep ", seconds, )", "const begin = Date.now();",
        "  cpu += usage.ru_utime.tv_sec;", "  changed.wait_for(lock, kPatience);"}) {
    EXPECT_TRUE(UsesTime(line)) << line;
  }
  for (const char* line :
       {"  EXPECT_TRUE(WaitUntil([&] { return done.load(); }));",
        "  changed_.wait_for(lock, kHangLimit, [this] { return ended_; });",
        R"(RunShell("while [ ! -s out ]; do sleep 0.05; done");)", "  // threads that sleep",
        "TEST(ThreadTeam, ThreadsThatAreLeftOutSleepAtOnce) {", "  EXPECT_EQ(team.sleeping(), 2);",
        "  times.now = [] { return Time(0); };"}) {
    EXPECT_FALSE(UsesTime(line)) << line;
  }
}

}  // namespace
}  // namespace infer
