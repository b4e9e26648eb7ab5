// SPDX-License-Identifier: Apache-2.0
//
// A factory for every pass. Each pass is in its own file, whose comment shows before => after.
#pragma once

#include <memory>

#include "passes/pass.h"

namespace infer {

// imported -> bound: gives T, R and S their ranges.
std::unique_ptr<Pass> MakeBindShapes();
// Removes nodes that nothing reads and that write no state.
std::unique_ptr<Pass> MakeRemoveDeadNodes();
// Keeps one of several nodes that compute the same value.
std::unique_ptr<Pass> MakeMergeDuplicates();
// Moves select_rows up through row-wise ops, so that only the requested rows are computed.
std::unique_ptr<Pass> MakeSelectOutputRows();
// Joins projections of one value into one multi_linear.
std::unique_ptr<Pass> MakeFuseProjections();
// Joins reshape, norm and rope of an attention's q and k into one qk_norm_rope.
std::unique_ptr<Pass> MakeFuseQkNormRope();
// Joins qk_norm_rope and the kv_write of its k into one attention_inputs.
std::unique_ptr<Pass> MakeFuseAttentionInputs();
// Joins silu(gate) * up into one swiglu.
std::unique_ptr<Pass> MakeFuseSwiglu();
// Joins the gate and up projections of experts and their swiglu into one expert_swiglu.
std::unique_ptr<Pass> MakeFuseExpertSwiglu();
// Joins an add and the norm of its sum into one add_rms_norm.
std::unique_ptr<Pass> MakeFuseAddRmsNorm();
// Divides the work over the policy's ranks and inserts the collectives that this needs.
std::unique_ptr<Pass> MakeShardGraph();
// Joins neighbours into a composite op where one target runs all of them and has a kernel for it.
std::unique_ptr<Pass> MakeFuseForTarget();
std::unique_ptr<Pass> MakeSelectCandidates();
// Expands composite ops that no target of their rule runs whole.
std::unique_ptr<Pass> MakeLegalize();
// bound -> placed: the first rule of the policy that matches decides; the reason is recorded.
std::unique_ptr<Pass> MakePlaceNodes();
// Moves a lone node to the target around it if the boundary costs more than the node saves.
std::unique_ptr<Pass> MakeSmoothPlacement();
// Rounds what ranks collect once, where all readers would round it.
std::unique_ptr<Pass> MakeRoundParts();
// Sends parts of a value in the form to which the product that reads it rounds it.
std::unique_ptr<Pass> MakeShortenMessages();
// Lets each rank compute a share of the rows of what all ranks would compute.
std::unique_ptr<Pass> MakeShareRows();
// placed -> scheduled: orders the steps and cuts them into segments of one device.
std::unique_ptr<Pass> MakeScheduleNodes();
// scheduled -> planned: gives every value an offset.
std::unique_ptr<Pass> MakePlanMemory();

}  // namespace infer
