// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/program/program.h"
#include "tools/cli/flags.h"
#include "tools/flags/model_flags.h"

namespace infer {

// The command line of infer-viz.
struct VizOptions {
  std::string program;  // a stored program, or a model that is compiled first
  ModelFlags model;     // how, and the model of a stored program
  std::string format = "text";
  std::string layers;  // "3", "0-3", "0,5"; empty means folded, or one of the most common kind
  int64_t tokens = 1;  // chooses the regime
  std::string output = "-";
  bool open = false;         // open the page that was written
  bool finds_place = false;  // of the page: `output` does not say, see PagePath
  bool bundled = false;      // no file was given
  // Shown beside the program by a page or a JSON document:
  std::string profile;     // of the program
  std::string vs;          // a program to compare with; empty means the same
  std::string vs_profile;  // of that program
  std::string pass_log;
  // For the mode diff:
  std::vector<std::string> programs;
  std::vector<std::string> fail_on;
};

// Returns whether the file begins as a GGUF model. Reads nothing but regular files.
bool IsModelFile(const std::string& path);

void RegisterFlags(Flags& flags, VizOptions* options);
absl::Status CompleteOptions(const Flags& flags, VizOptions* options);

// Parses --layers. Returns a usage error if it is not a list, or for a layer that the model does
// not have.
absl::StatusOr<std::vector<int64_t>> ParseLayers(const std::string& text, const Program& program);

}  // namespace infer
