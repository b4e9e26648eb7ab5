// SPDX-License-Identifier: Apache-2.0
//
// Writes Programs as the one JSON document that the page and other programs read. README.md
// describes it.
#pragma once

#include <string>
#include <vector>

#include "ir/base/json.h"
#include "ir/program/program.h"
#include "runtime/profile.h"
#include "tools/viz/memory_json.h"

namespace infer {

inline constexpr int kVizSchemaVersion = 1;

struct NamedProgram {
  std::string name;  // file name; only the base name is kept
  const Program* program = nullptr;
  const Profile* profile = nullptr;   // of this program
  const Json* pass_log = nullptr;     // see ParsePassLog
  const RunMemory* memory = nullptr;  // of a run on this machine
};

std::string VizJson(const std::vector<NamedProgram>& programs);

}  // namespace infer
