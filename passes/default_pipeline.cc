// SPDX-License-Identifier: Apache-2.0
#include "passes/passes.h"
#include "passes/pipeline.h"

namespace infer {

std::vector<std::unique_ptr<Pass>> GraphPasses() {
  std::vector<std::unique_ptr<Pass>> passes;
  // Bind: everything after this may ask how large a value can get.
  passes.push_back(MakeBindShapes());
  return passes;
}

std::vector<std::unique_ptr<Pass>> RegimePasses() {
  std::vector<std::unique_ptr<Pass>> passes;
  // Legalise: the last structural change; afterwards every node has a kernel somewhere.
  passes.push_back(MakeLegalize());
  // Place: needs the final nodes.
  passes.push_back(MakePlaceNodes());
  // Schedule: needs the targets, because segments are cut where the device changes.
  passes.push_back(MakeScheduleNodes());
  // Plan: needs the steps, because a value lives from its step to its last reader's.
  passes.push_back(MakePlanMemory());
  return passes;
}

}  // namespace infer
