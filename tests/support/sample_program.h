// SPDX-License-Identifier: Apache-2.0
//
// A small hand-made Program of two regimes that the verifier accepts; tests of stored files damage
// it.
#pragma once

#include "ir/graph/graph.h"
#include "ir/program/program.h"

namespace infer::test {

// An attention layer in miniature at the given stage: embedding, norm, two projections, a cache
// with its write, attention, a residual sum in place, two results. 14 nodes, 8 of them steps.
Graph SampleGraph(Stage stage, Range tokens = {1, 4});

// Two regimes, 1..4 and 5..16 tokens.
Program SampleProgram();

// The same with q_proj on metal: in the CPU's memory, or in its own with a copy there and one back.
Program SampleProgramOnTwoDevices(bool shares_memory);

// Gives each node the kernel that runs it, valid for any number of rows, and a second one for up to
// 8.
void AddKernelChoices(Program* program);

}  // namespace infer::test
