// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/cli/captured_run.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace infer {

CapturedFd::CapturedFd() {
  std::string path = ::testing::TempDir() + "/captured-XXXXXX";
  fd_ = mkstemp(path.data());
  EXPECT_GE(fd_, 0);
  unlink(path.c_str());
}

CapturedFd::~CapturedFd() { close(fd_); }

std::string CapturedFd::Text() const {
  std::string text(static_cast<size_t>(lseek(fd_, 0, SEEK_END)), '\0');
  EXPECT_EQ(pread(fd_, text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
  return text;
}

EnvLookup LookupIn(Env env) {
  return [env = std::move(env)](const std::string& name) -> std::optional<std::string> {
    auto found = env.find(name);
    return found == env.end() ? std::nullopt : std::optional<std::string>(found->second);
  };
}

CapturedRun RunCaptured(const Tool& tool, std::vector<std::string> args, Env env) {
  CapturedFd out, err;
  EnvNames names;
  for (const auto& [name, value] : env) {
    if (name.starts_with("INFER_")) names.insert(name);
  }
  ToolIo io = {out.fd(), err.fd(), LookupIn(std::move(env)), std::move(names)};
  CapturedRun run;
  run.code = RunTool(tool, std::move(args), io);
  run.out = out.Text();
  run.err = err.Text();
  return run;
}

CapturedRun RunShell(const std::string& command) {
  infer::TempDir dir;
  WriteFile(dir.Path("command"), command);
  std::string line = std::string("BIN='") + INFER_BIN_DIR + "' sh '" + dir.Path("command") +
                     "' >'" + dir.Path("out") + "' 2>'" + dir.Path("err") + "'";
  int status = std::system(line.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, ReadFile(dir.Path("out")),
          ReadFile(dir.Path("err"))};
}

TempDir::TempDir() {
  path_ = ::testing::TempDir() + "/infer-cli-XXXXXX";
  EXPECT_NE(mkdtemp(path_.data()), nullptr);
}

TempDir::~TempDir() { std::filesystem::remove_all(path_); }

std::vector<std::string> TempDir::Names() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(path_)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

void WriteFile(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::string ReadFile(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

}  // namespace infer
