// SPDX-License-Identifier: Apache-2.0
#include "passes/passes.h"
#include "passes/registry.h"

namespace infer {

// In the order in which they run. Each row says when the pass runs and, in one line, what it does;
// a comment gives the reason for its place.
std::span<const PassRow> PassRows() {
  using enum PassRuns;
  static constexpr PassRow kRows[] = {
      // Bind: every later pass may ask how large a value can get.
      {MakeBindShapes, kOnce, "gives T, R and S the ranges to compile for"},

      // Simplify. Dead nodes first, so that no other pass sees readers that are dead.
      {MakeRemoveDeadNodes, kOnce, "removes nodes that nothing reads"},
      // Equal values must be merged before fusions look at their readers.
      {MakeMergeDuplicates, kOnce, "merges nodes that compute the same value"},
      // Before fusions, which would join ops of T rows with those that need only R.
      {MakeSelectOutputRows, kOnce, "computes only the rows whose logits are requested"},

      // Fuse: independent of targets; legalize expands what no target runs whole. Projections
      // first, so that every remaining linear is the only one that reads its input.
      {MakeFuseProjections, kOnce, "joins the projections of one value into multi_linear"},
      {MakeFuseQkNormRope, kOnce, "joins reshape, norm and rope of q and k into qk_norm_rope"},
      // Takes the nodes that the pass before has made.
      {MakeFuseAttentionInputs, kOnce, "joins qk_norm_rope and kv_write into attention_inputs"},
      {MakeFuseSwiglu, kOnce, "joins silu(gate) * up into swiglu"},
      // Takes the nodes that the pass before has made.
      {MakeFuseExpertSwiglu, kOnce,
       "joins the gate and up projections of experts and their swiglu"},
      // The residual add goes to the norm that follows, not to the projection before it: a product
      // that also adds was no faster on any CPU (BENCHMARKS.md, "Residual adds"). Targets with a
      // kernel for it get it back from fuse-for-target.
      {MakeFuseAddRmsNorm, kOnce, "joins an add and the norm of its sum into add_rms_norm"},

      // Shard: after fusions, which see whole values, and before anything asks for kernels, which
      // run the parts.
      {MakeShardGraph, kOnce, "divides the work over the ranks and inserts collectives"},

      // The regimes are cut here.

      // Fuse for a target: needs policy and kernels, and the ranges that decide between rules.
      {MakeFuseForTarget, kEachRegime,
       "joins neighbours that one target runs as one, such as norm and projections"},
      // Needs the target of the logits.
      {MakeSelectCandidates, kEachRegime,
       "ends the graph with the largest logits too where whole rows are far from the cpu"},
      // Legalise: after it every node has a kernel somewhere.
      {MakeLegalize, kEachRegime,
       "expands composite ops that their rule's target cannot run whole"},
      // Place: needs the nodes that compute something; only share-rows adds others later.
      {MakePlaceNodes, kEachRegime, "gives each node a target and a kernel, with the reasons"},
      // Needs estimates of the placed nodes; must come before segments are cut.
      {MakeSmoothPlacement, kEachRegime,
       "moves lone nodes to the target around them where that is faster"},
      // Needs the number of tokens and estimates of the placed nodes: for one token it is not worth
      // a meeting of the ranks.
      {MakeShareRows, kEachRegime, "shares out the rows of what every rank would compute"},
      // Needs all collectives, and the kernels of the products that read them.
      {MakeRoundParts, kEachRegime,
       "rounds what ranks collect once, if all readers would round it"},
      // Takes the messages that the pass before has left as f32.
      {MakeShortenMessages, kEachRegime, "sends values as their readers round them"},
      // Schedule: needs the targets, because segments are cut where the device changes.
      {MakeScheduleNodes, kEachRegime, "puts the steps in order, cut where the device changes"},
      // Plan: needs the steps, because a value lives from its step to that of its last reader.
      {MakePlanMemory, kEachRegime, "gives every value an offset in the arena"},
  };
  return kRows;
}

}  // namespace infer
