// SPDX-License-Identifier: Apache-2.0
//
// Tests of passes as text in, text out. Graphs are compared after renumbering their values, so a
// test may name values freely; a failure prints the texts with their original names.
//
// Texts are graphs as described in ir/README.md. A test can leave out whatever the parser has a
// default for.
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

namespace infer::test {

// What a pass sees: T up to 8, R up to 2, S up to 32; one rule "all" that lists scalar; composites
// kept; a default FakeCatalog. A test changes only what it is about.
struct TestMachine {
  TestMachine();
  PassContext Context() const;

  SymbolRanges symbols;
  Policy policy;
  FakeCatalog catalog;
  std::optional<MachineDescription> description = {};  // for estimates
  int64_t candidates = 0;
};

// Returns a rule that matches everything.
Rule RuleFor(std::string name, std::vector<Target> targets);

// Parses and verifies a graph. If the text is invalid, fails the running test and returns an empty
// graph.
Graph GraphOf(std::string_view text);

// Expects `before` to become exactly `after`, and the pass to report the change. A pass that keeps
// the stage must leave its own result unchanged.
void ExpectRewrite(std::unique_ptr<Pass> pass, std::string_view before, std::string_view after,
                   const TestMachine& machine = TestMachine());
// Expects the pass to report that it changed nothing, and that to be true.
void ExpectUnchanged(std::unique_ptr<Pass> pass, std::string_view text,
                     const TestMachine& machine = TestMachine());
// As above, and expects the pass to have given a reason that contains this text.
void ExpectRefusal(std::unique_ptr<Pass> pass, std::string_view text, std::string_view reason,
                   const TestMachine& machine = TestMachine());
// Expects the pass to fail with a one-line message that contains this text.
void ExpectError(std::unique_ptr<Pass> pass, std::string_view text, std::string_view substring,
                 const TestMachine& machine = TestMachine());

// Runs the pass on `text` and returns the graph, verified at the stage that the pass produces.
Graph RunPass(std::unique_ptr<Pass> pass, std::string_view text,
              const TestMachine& machine = TestMachine());

// Places, schedules and plans a bound graph.
Graph PlannedGraph(std::string_view text, const TestMachine& machine);

}  // namespace infer::test
