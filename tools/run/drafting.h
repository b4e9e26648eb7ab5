// SPDX-License-Identifier: Apache-2.0
//
// What drafts of infer-run are made with.
#pragma once

#include <array>
#include <string>

#include "ir/program/program.h"
#include "runtime/draft_length.h"

namespace infer {

// Returns the estimated time of calls with 1, 2, ... tokens at half the Program's context; all
// equal if it has no machine description.
std::array<double, kMaxDraft + 1> DraftCosts(const Program& program);

// Returns the first node whose kernels give a row other bits in a call of one token than in one
// with a draft, so that drafts could change a text; empty if there is none.
std::string NodeThatDraftsChange(const Program& program);

}  // namespace infer
