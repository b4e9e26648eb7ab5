// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "ir/base/json.h"
#include "ir/program/program.h"
#include "runtime/profile.h"
#include "tools/api/model_file.h"
#include "tools/viz/viz_json.h"
#include "tools/viz/viz_options.h"

namespace infer {

// The files that a page or a JSON document shows beside its first program.
class VizInputs {
 public:
  // Reads and checks the files. Profiles get the estimates of their Program's machine. `model` is
  // the program's, or nullptr if it is looked for beside the program.
  absl::Status Read(const VizOptions& options, const Program& program, const ModelFile* model);

  // Points into this object and the arguments.
  std::vector<NamedProgram> Programs(const VizOptions& options, const Program& program) const;

 private:
  std::optional<Profile> profile_;
  std::optional<Program> vs_;
  std::optional<Profile> vs_profile_;
  std::optional<Json> pass_log_;
  std::optional<RunMemory> memory_;
  std::optional<RunMemory> vs_memory_;
};

}  // namespace infer
