// SPDX-License-Identifier: Apache-2.0
//
// A factory for every pass. Each pass is a file of its own whose comment shows before => after.
#pragma once

#include <memory>

#include "passes/pass.h"

namespace infer {

// imported -> bound: T, R and S get their ranges.
std::unique_ptr<Pass> MakeBindShapes();
// Removes nodes that nothing reads and that write no state.
std::unique_ptr<Pass> MakeRemoveDeadNodes();
// Keeps one of the nodes that compute the same.
std::unique_ptr<Pass> MakeMergeDuplicates();
// Moves select_rows up through row-wise ops, so that only wanted rows are computed.
std::unique_ptr<Pass> MakeSelectOutputRows();
// Projections of one value become one multi_linear.
std::unique_ptr<Pass> MakeFuseProjections();
// Reshape, norm and rope of an attention's q and k become one qk_norm_rope.
std::unique_ptr<Pass> MakeFuseQkNormRope();
// qk_norm_rope and the kv_write of its k become one attention_inputs.
std::unique_ptr<Pass> MakeFuseAttentionInputs();
// silu(gate) * up becomes one swiglu.
std::unique_ptr<Pass> MakeFuseSwiglu();
// A projection and the add of its result to the residual become one linear_add.
std::unique_ptr<Pass> MakeFuseResidual();
// An add and the norm of its sum become one add_rms_norm.
std::unique_ptr<Pass> MakeFuseAddRmsNorm();
// Expands composite ops that no target of their rule runs whole.
std::unique_ptr<Pass> MakeLegalize();
// bound -> placed: the first rule of the policy that matches decides; the reason is recorded.
std::unique_ptr<Pass> MakePlaceNodes();
// Moves a lone node to the target around it where the boundary costs more than it saves.
std::unique_ptr<Pass> MakeSmoothPlacement();
// placed -> scheduled: the order of steps, cut into segments of one device.
std::unique_ptr<Pass> MakeScheduleNodes();
// scheduled -> planned: an offset for every value.
std::unique_ptr<Pass> MakePlanMemory();

}  // namespace infer
