// SPDX-License-Identifier: Apache-2.0
//
// The tools as a user runs them, in-process.
#pragma once

#include <string>
#include <vector>

#include "tests/tools/cli/captured_run.h"

namespace infer {

// Runs the tool of that name.
CapturedRun RunNamed(const std::string& tool, std::vector<std::string> args, Env env = {});

// stdout of a run that must succeed.
std::string OutputOf(const std::string& tool, std::vector<std::string> args);

std::string BundledModelPath();
std::string TestData(const std::string& name);

// Puts `text` on stdin while it lives.
class StdinText {
 public:
  explicit StdinText(const std::string& text);
  ~StdinText();
  StdinText(const StdinText&) = delete;
  StdinText& operator=(const StdinText&) = delete;

 private:
  int former_;
};

}  // namespace infer
