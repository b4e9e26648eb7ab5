// SPDX-License-Identifier: Apache-2.0
//
// Programs as a file could have them whose writer was wrong or malicious: each has one or a few
// fields of its plan, placements or lists changed, and is well-formed as a message.
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "ir/program/program.h"
#include "runtime/kernel_registry.h"

namespace infer::test {

// Deep, with every graph.
Program CloneProgram(const Program& program);

struct Mutation {
  std::string what;  // the fields that were changed
  // Whether the Program, if it is accepted, must still compute what it did: no kernel was changed.
  bool keeps_numbers = true;
};

// Changes one to three fields, chosen by `random`, which alone decides: the same seed gives the
// same mutation. `registry` has the kernels that a node may be given instead of its own.
Mutation Mutate(std::mt19937_64& random, const KernelRegistry& registry, Program* program);

}  // namespace infer::test
