// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/metrics/access_log.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <vector>

#include "ir/base/json.h"
#include "tests/support/hang_limit.h"

namespace infer::metrics {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

HttpAccess Http(const std::string& id) {
  HttpAccess http;
  http.request_id = id;
  http.method = "POST";
  http.path = "/v1/completions";
  http.status = 200;
  return http;
}

ModelAccess Model(int64_t tokens) {
  ModelAccess model;
  model.model = "m";
  model.summary.generated_tokens = tokens;
  model.end_reason = "stop";
  return model;
}

TEST(AccessLine, HasAllOfARequest) {
  HttpAccess http = Http("r1");
  http.time = std::chrono::system_clock::time_point(std::chrono::milliseconds(1'700'000'000'123));
  http.peer = "127.0.0.1";
  http.key_name = "alice";
  http.sent_bytes = 20;
  http.duration_ms = 12.34567;
  ModelAccess model = Model(7);
  model.summary.prompt_tokens = 100;
  model.summary.cached_tokens = 64;
  model.summary.queue_ms = 1.5;
  model.summary.prefill_ms = 2.5;
  model.summary.decode_ms = 3.5;
  EXPECT_EQ(
      AccessLine(http, model),
      R"({"time":"2023-11-14T22:13:20.123Z","request_id":"r1","peer":"127.0.0.1",)"
      R"("key":"alice","method":"POST","path":"/v1/completions","status":200,"bytes":20,"ms":12.346,"client_left":false,"model":"m","prompts":1,"prompt_tokens":100,)"
      R"("cached_tokens":64,"cache_end":"","generated_tokens":7,"queue_ms":1.5,)"
      R"("prefill_ms":2.5,"decode_ms":3.5,"prompt_chunks":0,"preemptions":0,"end":"stop"})"
      "\n");
}

TEST(AccessLine, NothingThatAClientSendsLeavesItsString) {
  HttpAccess http = Http("r\"},{\"x\":\"");
  http.path =
      std::string("/a\n{\"fake\":1}\r\t\0\x1b[31m\x7f\xff\xc2\x9b", 25) + std::string(9999, 'x');
  const std::string line = AccessLine(http, {});
  EXPECT_EQ(std::ranges::count(line, '\n'), 1);
  EXPECT_TRUE(std::ranges::all_of(line, [](char c) { return c == '\n' || (c >= ' ' && c < 127); }));
  EXPECT_LT(line.size(), 4096u);
  const Json json = Json::parse(line);
  EXPECT_EQ(json["request_id"], "r\"},{\"x\":\"");
  EXPECT_TRUE(json["path"].get<std::string>().starts_with("/a\n{\"fake\":1}\r\t"));
}

class AccessLogTest : public ::testing::Test {
 protected:
  AccessLogTest()
      : path_((std::filesystem::temp_directory_path() /
               ("access-log-" + std::to_string(getpid()) + "-" +
                ::testing::UnitTest::GetInstance()->current_test_info()->name()))
                  .string()) {}
  ~AccessLogTest() override {
    std::filesystem::remove(path_);
    std::filesystem::remove(path_ + ".1");
  }

  std::unique_ptr<AccessLog> Open(AccessLogOptions options = {}) {
    options.path = path_;
    auto log = AccessLog::Open(options);
    EXPECT_TRUE(log.ok()) << log.status();
    return *std::move(log);
  }

  static std::vector<Json> Lines(const std::string& path) {
    std::vector<Json> lines;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) lines.push_back(Json::parse(line));
    return lines;
  }

  static std::vector<std::string> Ids(const std::string& path) {
    std::vector<std::string> ids;
    for (const Json& line : Lines(path)) ids.push_back(line["request_id"]);
    return ids;
  }

  // Waits until the writer has caught up.
  static void AwaitLines(const std::string& path, size_t count) {
    EXPECT_TRUE(WaitUntil([&] { return Ids(path).size() >= count; }));
  }

  const std::string path_;
};

TEST_F(AccessLogTest, JoinsTheHalvesInEitherOrder) {
  auto log = Open();
  log->Expect("a");
  log->Expect("b");
  log->Add("a", Model(1));
  log->Add(Http("plain"));
  log->Add(Http("b"));
  log->Add(Http("a"));
  log->Add("b", Model(2));
  log.reset();
  const std::vector<Json> lines = Lines(path_);
  ASSERT_THAT(lines, SizeIs(3));
  EXPECT_EQ(lines[0]["request_id"], "plain");
  EXPECT_FALSE(lines[0].contains("generated_tokens"));
  EXPECT_EQ(lines[1]["request_id"], "a");
  EXPECT_EQ(lines[1]["generated_tokens"], 1);
  EXPECT_EQ(lines[2]["request_id"], "b");
  EXPECT_EQ(lines[2]["generated_tokens"], 2);
}

TEST_F(AccessLogTest, WritesARequestThatWasRefused) {
  auto log = Open();
  log->Expect("a");
  log->Unexpect("a");
  log->Add(Http("a"));
  log->Expect("b");
  log->Add(Http("b"));
  log->Unexpect("b");
  log.reset();
  EXPECT_THAT(Ids(path_), ElementsAre("a", "b"));
}

TEST_F(AccessLogTest, SumsThePromptsOfARequest) {
  auto log = Open();
  log->Expect("a", 3);
  log->Add("a", Model(1));
  log->Add(Http("a"));
  ModelAccess left = Model(2);
  left.summary.prompt_tokens = 50;
  left.end_reason = "cancelled";
  left.has_ended_well = false;
  log->Add("a", left);
  log->Add(Http("plain"));
  log->Add("a", Model(4));
  log->Expect("b", 2);
  log->Add("b", Model(5));
  log->Add(Http("b"));
  log->Unexpect("b");
  log.reset();
  const std::vector<Json> lines = Lines(path_);
  ASSERT_THAT(lines, SizeIs(3));
  EXPECT_EQ(lines[0]["request_id"], "plain");
  EXPECT_EQ(lines[1]["request_id"], "a");
  EXPECT_EQ(lines[1]["prompts"], 3);
  EXPECT_EQ(lines[1]["prompt_tokens"], 50);
  EXPECT_EQ(lines[1]["generated_tokens"], 7);
  EXPECT_EQ(lines[1]["end"], "cancelled");
  EXPECT_EQ(lines[2]["prompts"], 1);
  EXPECT_EQ(lines[2]["generated_tokens"], 5);
}

TEST_F(AccessLogTest, RequestsWithTheSameIdHaveALineEach) {
  auto log = Open();
  log->Expect("a");
  log->Expect("a");
  log->Add(Http("a"));
  log->Add(Http("a"));
  log->Add("a", Model(1));
  log->Add("a", Model(2));
  log.reset();
  EXPECT_THAT(Ids(path_), ElementsAre("a", "a"));
}

TEST_F(AccessLogTest, WritesWhatIsLeftAtTheEnd) {
  auto log = Open();
  log->Expect("a");
  log->Add(Http("a"));
  log.reset();
  EXPECT_THAT(Ids(path_), ElementsAre("a"));
}

TEST_F(AccessLogTest, ReopenFollowsARename) {
  auto log = Open();
  log->Add(Http("old"));
  AwaitLines(path_, 1);
  std::filesystem::rename(path_, path_ + ".1");
  log->Reopen();
  EXPECT_TRUE(WaitUntil([&] { return std::filesystem::exists(path_); }));
  log->Add(Http("new"));
  log.reset();
  EXPECT_THAT(Ids(path_ + ".1"), ElementsAre("old"));
  EXPECT_THAT(Ids(path_), ElementsAre("new"));
}

TEST_F(AccessLogTest, AppendsToWhatIsThere) {
  Open()->Add(Http("a"));
  Open()->Add(Http("b"));
  EXPECT_THAT(Ids(path_), ElementsAre("a", "b"));
}

TEST_F(AccessLogTest, AStuckReaderStopsNobody) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  const int reader = open(path_.c_str(), O_RDONLY | O_NONBLOCK);
  auto log = Open({.path = "", .max_lines = 100, .max_open = 16, .warn = {}});
  // A writer that waited for the reader would hang here, or at the end.
  for (int i = 0; i < 20'000; ++i) log->Add(Http(std::to_string(i)));
  EXPECT_GT(log->dropped_lines(), 1000);
  log.reset();
  close(reader);
}

TEST_F(AccessLogTest, ForgetsRequestsThatAreTooMany) {
  auto log = Open({.path = "", .max_lines = 100, .max_open = 2, .warn = {}});
  for (const char* id : {"a", "b", "c"}) log->Expect(id);
  log->Add(Http("c"));
  log->Add("c", Model(1));
  log.reset();
  EXPECT_THAT(Ids(path_), ElementsAre("c"));
}

TEST(AccessLogOpen, NamesAFileThatCannotBeWritten) {
  const auto log = AccessLog::Open({.path = "/no/such/folder/x.log"});
  ASSERT_FALSE(log.ok());
  EXPECT_EQ(log.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(log.status().message()), ::testing::HasSubstr("/no/such/folder/x.log"));
}

}  // namespace
}  // namespace infer::metrics
