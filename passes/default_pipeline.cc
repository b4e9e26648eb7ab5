// SPDX-License-Identifier: Apache-2.0
#include "passes/passes.h"
#include "passes/registry.h"

namespace infer {

// In the order in which they run. Each row says when, and what the pass does in one line; a comment
// gives the reason for its place.
std::span<const PassRow> PassRows() {
  using enum PassRuns;
  static constexpr PassRow kRows[] = {
      // Bind: everything after this may ask how large a value can get.
      {MakeBindShapes, kOnce, "gives T, R and S the ranges to compile for"},

      // Simplify. Dead nodes first, so that no other pass finds a reader that does not count.
      {MakeRemoveDeadNodes, kOnce, "removes nodes that nothing reads"},
      // Equal values must be one value before fusions ask who reads it.
      {MakeMergeDuplicates, kOnce, "computes once what stands twice"},
      // Before fusions, which would join ops of T rows with those that can do with R.
      {MakeSelectOutputRows, kOnce, "computes only the rows whose logits are wanted"},

      // Fuse: independent of targets; legalize takes apart what no target runs whole. Projections
      // first, so that what is left as linear is alone with its input.
      {MakeFuseProjections, kOnce, "joins the projections of one value into multi_linear"},
      {MakeFuseQkNormRope, kOnce, "joins reshape, norm and rope of q and k into qk_norm_rope"},
      // Takes up what the one before has made.
      {MakeFuseAttentionInputs, kOnce, "joins qk_norm_rope and kv_write into attention_inputs"},
      {MakeFuseSwiglu, kOnce, "joins silu(gate) * up into swiglu"},
      // Before fuse-add-rms-norm, which takes the adds that this one refuses: a projection can add
      // while it writes its rows, so the product is never stored; the norm would still read it.
      // Measured on 0.6B shapes in Q8_0, one thread: without it, so that add_rms_norm takes all the
      // adds, decode is as fast (54.6 tokens/s) and a prompt of 512 1.9 % faster (285 against 280).
      {MakeFuseResidual, kOnce, "joins a projection and the residual add into linear_add"},
      {MakeFuseAddRmsNorm, kOnce, "joins an add and the norm of its sum into add_rms_norm"},

      // Here the regimes are cut.

      // Legalise: the last structural change; afterwards every node has a kernel somewhere.
      {MakeLegalize, kEachRegime,
       "expands composite ops that their rule's target cannot run whole"},
      // Place: needs the final nodes.
      {MakePlaceNodes, kEachRegime, "gives each node a target and a kernel, with the reasons"},
      // Needs estimates of what is placed; afterwards segments are cut.
      {MakeSmoothPlacement, kEachRegime,
       "moves lone nodes to the target around them where it pays"},
      // Schedule: needs the targets, because segments are cut where the device changes.
      {MakeScheduleNodes, kEachRegime, "puts the steps in order, cut where the device changes"},
      // Plan: needs the steps, because a value lives from its step to its last reader's.
      {MakePlanMemory, kEachRegime, "gives every value an offset in the arena"},
  };
  return kRows;
}

}  // namespace infer
