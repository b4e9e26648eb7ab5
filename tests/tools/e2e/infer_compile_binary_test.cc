// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/tools/cli/captured_run.h"
#include "tests/tools/e2e/tool_run.h"

namespace infer {
namespace {

// Peak resident bytes of a run of the built infer-compile.
int64_t PeakBytes(const std::string& model, const std::vector<std::string>& flags) {
  std::string tool = std::string(INFER_BIN_DIR) + "/infer-compile";
  std::vector<const char*> args = {tool.c_str(), "-q", "-m", model.c_str()};
  for (const std::string& flag : flags) args.push_back(flag.c_str());
  args.push_back(nullptr);
  pid_t pid = fork();
  if (pid == 0) {
    CapturedFd out;
    dup2(out.fd(), STDOUT_FILENO);
    execv(tool.c_str(), const_cast<char* const*>(args.data()));
    _exit(127);
  }
  int status = 0;
  rusage usage = {};
  EXPECT_EQ(wait4(pid, &status, 0, &usage), pid);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
#ifdef __APPLE__
  return usage.ru_maxrss;
#else
  return usage.ru_maxrss * 1024;
#endif
}

TEST(InferCompileBinary, ADryRunReadsNoWeights) {
  TempDir dir;
  std::string model = dir.Path("wide.gguf");
  OutputOf("infer-synth", {"--layers", "2", "--hidden", "1024", "--ff", "3072", "--vocab", "small",
                           "--type", "f32", "-o", model});
  auto file_bytes = static_cast<int64_t>(std::filesystem::file_size(model));
  ASSERT_GT(file_bytes, 64 << 20);
  int64_t dry = PeakBytes(model, {"--dry-run"});
  int64_t full = PeakBytes(model, {"--hash", "full"});
  // A run that reads every weight has the mapped file resident, the dry run nearly nothing of it.
  EXPECT_GT(full - dry, file_bytes * 9 / 10);
}

}  // namespace
}  // namespace infer
