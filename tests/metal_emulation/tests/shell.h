// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <string>

namespace infer::emulation {

struct Outcome {
  int status = -1;
  std::string output;  // of both streams
};

inline Outcome Shell(const std::string& command) {
  Outcome outcome;
  FILE* const pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return outcome;
  char block[4096];
  for (size_t got; (got = fread(block, 1, sizeof block, pipe)) > 0;) {
    outcome.output.append(block, got);
  }
  outcome.status = pclose(pipe);
  return outcome;
}

}  // namespace infer::emulation
