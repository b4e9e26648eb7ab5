// SPDX-License-Identifier: Apache-2.0
//
// Checks the decisions that a Program stores: they are shown, used as divisors and compared, and
// the file may come from anywhere. Only for ir/verify/verify_program.cc.
#pragma once

#include "absl/status/status.h"
#include "ir/policy/machine_text.h"
#include "ir/policy/policy_text.h"
#include "ir/program/program.h"

namespace infer {

// Checks what ParsePolicy checks in a policy's file: unique names, and CheckRule of each rule.
absl::Status VerifyPolicy(const Policy& policy);
// Checks what ParseMachine checks in a description, and that its origin is the one recorded beside
// it.
absl::Status VerifyMachine(const Machine& machine);
// Checks the numbers of placements: costs, terms and estimates are finite, and counts are not
// negative.
absl::Status VerifyPlacementNumbers(const Graph& graph);

}  // namespace infer
