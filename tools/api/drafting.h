// SPDX-License-Identifier: Apache-2.0
//
// What drafts cost and whether they may change a text, by what the Program says.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "ir/program/program.h"
#include "runtime/draft_length.h"

namespace infer {

inline constexpr int64_t kUsualDraft = 3;  // tokens, until it is known how many are accepted

// Returns the estimated time of calls that advance `sequences` sequences, each with a draft of 0,
// 1, ... tokens, at half the Program's context; all equal if it has no machine description. A draft
// by a model of its own also takes the time of that Program's calls.
std::array<double, kMaxDraft + 1> DraftCosts(const Program& program, int64_t sequences = 1,
                                             const Program* drafting = nullptr);

// Returns a sentence that names the first node whose kernels give a row other bits in a call of one
// token than in one with drafts, so that drafts could change a text; empty if there is none.
std::string DraftWarning(const Program& program);

}  // namespace infer
