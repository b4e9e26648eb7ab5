// SPDX-License-Identifier: Apache-2.0
//
// The only list of passes. The default pipeline, the choice of passes to skip, tools that list or
// run passes by name, and the tests all read it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "passes/pass.h"

namespace infer {

// When the default pipeline runs a pass.
enum class PassRuns : uint8_t {
  kOnce,        // for all of T, before the regimes are cut
  kEachRegime,  // on the copy of each regime
  kOnRequest,   // never by default; only when named
};

// A row of the list in default_pipeline.cc.
struct PassRow {
  std::unique_ptr<Pass> (*make)();
  PassRuns runs;
  std::string_view summary;  // one line
};
std::span<const PassRow> PassRows();

// A row together with what the pass says about itself.
struct PassInfo {
  std::string name;
  std::string_view summary;
  Stage needs;
  Stage gives;
  PassRuns runs;
  std::unique_ptr<Pass> (*make)();

  bool keeps_stage() const { return needs == gives; }
};

// Returns all passes, in the order of the default pipeline.
std::span<const PassInfo> AllPasses();

// Returns the pass of that name, or an error with the nearest name.
absl::StatusOr<const PassInfo*> FindPass(std::string_view name);

// Returns an error unless all of these passes may be skipped: only passes that keep the stage can
// be.
absl::Status CheckSkip(std::span<const std::string> names);

// Returns the passes that the default pipeline runs at that point, without those in `skip`.
std::vector<std::unique_ptr<Pass>> PassesFor(PassRuns runs, std::span<const std::string> skip = {});

}  // namespace infer
