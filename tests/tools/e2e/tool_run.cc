// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/e2e/tool_run.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "tools/tool_list.h"

namespace infer {

CapturedRun RunNamed(const std::string& tool, std::vector<std::string> args, Env env) {
  for (const Tool* listed : AllTools()) {
    if (listed->name == tool) return RunCaptured(*listed, std::move(args), std::move(env));
  }
  ADD_FAILURE() << "no tool " << tool;
  return {};
}

std::string OutputOf(const std::string& tool, std::vector<std::string> args) {
  CapturedRun run = RunNamed(tool, std::move(args));
  EXPECT_EQ(run.code, 0) << run.err;
  return run.out;
}

std::string BundledModelPath() { return INFER_SOURCE_DIR "/tools/assets/tiny-tales-q8_0.gguf"; }

std::string TestData(const std::string& name) { return INFER_TEST_DATA "/" + name; }

StdinText::StdinText(const std::string& text) : former_(dup(STDIN_FILENO)) {
  CapturedFd file;
  EXPECT_EQ(pwrite(file.fd(), text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
  lseek(file.fd(), 0, SEEK_SET);
  dup2(file.fd(), STDIN_FILENO);
}

StdinText::~StdinText() {
  dup2(former_, STDIN_FILENO);
  close(former_);
}

}  // namespace infer
