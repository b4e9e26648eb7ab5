// SPDX-License-Identifier: Apache-2.0
//
// Tests of passes as text in, text out. Graphs are compared after renumbering their values, so that
// names in a test are free; a failure prints the texts with the names as given.
//
// Texts are graphs as ir/README.md describes them. What a test does not care about can be left out
// where the parser has a default.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "ir/graph/graph.h"
#include "ir/policy/machine.h"
#include "ir/policy/policy.h"
#include "passes/pass.h"
#include "tests/support/fake_catalog.h"

namespace infer::testing {

// What a pass may look at: T up to 8, R up to 2, S up to 32; one rule "all" that lists scalar,
// composites kept; the FakeCatalog as it comes. Tests change what they are about.
struct TestMachine {
  TestMachine();
  PassContext Context() const;

  SymbolRanges symbols;
  Policy policy;
  FakeCatalog catalog;
  std::optional<MachineDescription> description = {};  // for estimates
};

// A rule that matches everything.
Rule RuleFor(std::string name, std::vector<Target> targets);

// The graph of a text, verified. A failure of the running test, and an empty graph, if it is none.
Graph GraphOf(std::string_view text);

// `before` must become exactly `after`, and the pass must say that it changed it. A pass that keeps
// the stage must leave its own result unchanged.
void ExpectRewrite(std::unique_ptr<Pass> pass, std::string_view before, std::string_view after,
                   const TestMachine& machine = TestMachine());
// The pass must say that it changed nothing, and that must be true.
void ExpectUnchanged(std::unique_ptr<Pass> pass, std::string_view text,
                     const TestMachine& machine = TestMachine());
// The same, and the pass must have given a reason with this text in it.
void ExpectRefusal(std::unique_ptr<Pass> pass, std::string_view text, std::string_view reason,
                   const TestMachine& machine = TestMachine());
// The pass must fail with this text in its message, on one line.
void ExpectError(std::unique_ptr<Pass> pass, std::string_view text, std::string_view substring,
                 const TestMachine& machine = TestMachine());

// The graph of `text` after the pass, verified at the stage that the pass gives.
Graph RunPass(std::unique_ptr<Pass> pass, std::string_view text,
              const TestMachine& machine = TestMachine());

}  // namespace infer::testing
