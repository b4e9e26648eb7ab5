// SPDX-License-Identifier: Apache-2.0
//
// Runs tools, in-process or as a command, and keeps what they wrote.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tools/cli/tool.h"

namespace infer {

// A file without a name, for a descriptor whose text is read back later.
class CapturedFd {
 public:
  CapturedFd();
  ~CapturedFd();
  CapturedFd(const CapturedFd&) = delete;
  CapturedFd& operator=(const CapturedFd&) = delete;
  int fd() const { return fd_; }
  std::string Text() const;

 private:
  int fd_;
};

struct CapturedRun {
  int code = -1;
  std::string out;
  std::string err;
};

using Env = std::map<std::string, std::string>;
EnvLookup LookupIn(Env env);

CapturedRun RunCaptured(const Tool& tool, std::vector<std::string> args, Env env = {});
// Through `sh -c`; $BIN is the directory of the built tools.
CapturedRun RunShell(const std::string& command);

// A directory of its own for one test, removed with it.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  std::string Path(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }
  std::vector<std::string> Names() const;

 private:
  std::string path_;
};

void WriteFile(const std::string& path, const std::string& text);
std::string ReadFile(const std::string& path);

}  // namespace infer
