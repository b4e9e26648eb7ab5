// SPDX-License-Identifier: Apache-2.0
//
// infer-serve with the fault injector: whichever allocation fails, it serves and ends as asked, or
// ends with an error line and the exit code 4. INFER_TEST_SERVE_FAULTS sets how many are tried,
// INFER_TEST_SEED which.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <random>
#include <string>

#include "tests/tools/cli/captured_run.h"
#include "tests/tools/serve/http/raw_client.h"

namespace infer {
namespace {

// More than a server makes until it has answered; a failure beyond them never happens.
constexpr long kAllocations = 120'000;

struct Served {
  int code = -1;  // 128 + the signal if one killed it
  std::string err;
};

[[noreturn]] void Exec(long call, int out, const std::string& err) {
  setenv("LD_PRELOAD", INFER_BIN_DIR "/libfault_injector.so", 1);
  setenv("INFER_TEST_FAULT", ("alloc:" + std::to_string(call)).c_str(), 1);
  dup2(out, STDOUT_FILENO);
  dup2(open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
  execl(INFER_BIN_DIR "/infer-serve", "infer-serve", "-q", "--port", "0", "-t", "2", nullptr);
  _exit(99);
}

// Starts a server in which this allocation fails, asks it for a text and ends it.
Served Serve(long call) {
  TempDir dir;
  int ends[2];
  if (pipe(ends) != 0) return {};
  const pid_t child = fork();
  if (child == 0) Exec(call, ends[1], dir.Path("err"));
  close(ends[1]);
  std::string url;
  for (char c = 0; read(ends[0], &c, 1) == 1 && c != '\n';) url += c;
  if (const size_t colon = url.rfind(':'); colon != std::string::npos) {
    http::RawClient client = http::RawClient::Tcp(std::atoi(url.c_str() + colon + 1));
    client.Send(http::RequestText("POST", "/v1/completions",
                                  R"({"prompt": "Once upon", "max_tokens": 4})", ""));
    client.ReadAnswer("POST", 20);
    kill(child, SIGTERM);
  }
  int status = 0;
  waitpid(child, &status, 0);
  close(ends[0]);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          ReadFile(dir.Path("err"))};
}

TEST(ServeFaults, Allocations) {
  const char* asked = std::getenv("INFER_TEST_SERVE_FAULTS");
  const int count = asked == nullptr ? 8 : std::atoi(asked);
  const char* seed = std::getenv("INFER_TEST_SEED");
  std::mt19937 random(seed == nullptr ? 22 : std::atoi(seed));
  int ended = 0;
  for (int i = 0; i < count; ++i) {
    const long call = 1 + static_cast<long>(random() % kAllocations);
    const Served served = Serve(call);
    EXPECT_THAT(served.code, testing::AnyOf(0, 4)) << "allocation " << call << ": " << served.err;
    if (served.code == 4) {
      EXPECT_THAT(served.err, testing::HasSubstr("error: "));
    }
    ended += served.code == 4;
  }
  std::printf("alloc: tried %d, ended %d\n", count, ended);
}

}  // namespace
}  // namespace infer
