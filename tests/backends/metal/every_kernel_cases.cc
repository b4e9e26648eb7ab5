// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "ir/base/strings.h"
#include "ir/ops/ops.h"
#include "tests/backends/metal/case_runner.h"
#include "tests/backends/metal/edge_cases.h"

namespace infer::metal {
namespace {

using conformance::Arg;
using conformance::ConformanceCase;
using conformance::SequencePart;
using conformance::Values;

bool HasTokens(const ConformanceCase& c) {
  return std::ranges::any_of(c.args, [](const Arg& arg) {
    return arg.kind == Arg::Kind::kCache ||
           (arg.shape.rank() > 0 && arg.shape.dim(0) == Dim(Symbol::kT));
  });
}

// Whether rows end within a simdgroup of 32, and have more than one.
bool EndsWithinAStep(const ConformanceCase& c) {
  return std::ranges::any_of(c.args, [](const Arg& arg) {
    const Dim last = arg.shape.rank() == 0 ? Dim() : arg.shape.dim(-1);
    return !last.is_symbol() && last.value() > 32 && last.value() % 32 != 0;
  });
}

// The first whose rows end within a step, or else the first.
const ConformanceCase* CaseFor(const KernelInfo& kernel,
                               const std::vector<ConformanceCase>& cases) {
  const ConformanceCase* first = nullptr;
  for (const ConformanceCase& c : cases) {
    if (c.values != Values::kPlain || !HasTokens(c) || !Takes(kernel, c)) continue;
    if (EndsWithinAStep(c)) return &c;
    if (first == nullptr) first = &c;
  }
  return first;
}

ConformanceCase WithRows(ConformanceCase c, int32_t rows) {
  if (c.op == &ops::kSelectRows) {
    c.sequences.assign(rows, {0, 2});  // a row of each sequence
  } else if (c.op == &ops::kKvRead) {
    c.sequences = {{rows - 1, 1}};
  } else {
    c.sequences = {{c.sequences[0].history, rows}};
  }
  return c;
}

}  // namespace

int64_t RowsOfCase(const ConformanceCase& c) {
  if (c.op == &ops::kSelectRows) return static_cast<int64_t>(c.sequences.size());
  int64_t rows = 0;
  for (const SequencePart& part : c.sequences) {
    rows += part.tokens + (c.op == &ops::kKvRead ? part.history : 0);
  }
  return rows;
}

std::vector<ConformanceCase> CasesOfEveryKernel() {
  const std::vector<ConformanceCase> all = conformance::AllCases();
  std::vector<ConformanceCase> cases;
  std::set<std::string> names;  // a case may be that of two kernels
  for (const MetalKernel& kernel : MetalKernels()) {
    const ConformanceCase* found = CaseFor(kernel.info, all);
    if (found == nullptr || !names.insert(found->name).second) continue;
    for (int32_t rows : kEdgeRows) {
      ConformanceCase c = WithRows(*found, rows);
      c.name = StrCat("rows_", rows, "_of_", found->name);
      cases.push_back(std::move(c));
    }
  }
  return cases;
}

}  // namespace infer::metal
