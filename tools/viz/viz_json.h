// SPDX-License-Identifier: Apache-2.0
//
// Programs as the one JSON document that the page and other programs read. README.md describes it.
#pragma once

#include <string>
#include <vector>

#include "ir/program.h"

namespace infer {

inline constexpr int kVizSchemaVersion = 1;

struct NamedProgram {
  std::string name;  // of its file; only the base name is kept
  const Program* program = nullptr;
};

std::string VizJson(const std::vector<NamedProgram>& programs);

}  // namespace infer
