// SPDX-License-Identifier: Apache-2.0
//
// What must hold of the decisions that a Program stores: they are shown, divided and compared, and
// the file may come from anywhere. Only for ir/verify/verify_program.cc.
#pragma once

#include "absl/status/status.h"
#include "ir/policy/machine_text.h"
#include "ir/policy/policy_text.h"
#include "ir/program/program.h"

namespace infer {

// What ParsePolicy asks of a policy's file: names of their own, and CheckRule of each rule.
absl::Status VerifyPolicy(const Policy& policy);
// What ParseMachine asks of a description, and that its origin is the one recorded beside it.
absl::Status VerifyMachine(const Machine& machine);
// Numbers of placements: costs, terms and estimates are finite, and what is counted is not
// negative.
absl::Status VerifyPlacementNumbers(const Graph& graph);

}  // namespace infer
