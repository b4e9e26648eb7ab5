// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "frontends/grammar/schema_document.h"
#include "frontends/grammar/schema_shape.h"
#include "frontends/grammar/string_patterns.h"

namespace infer {

// Turns schemas into shapes: merges allOf and references, multiplies anyOf and oneOf out, and
// refuses every keyword that it does not know, with a JSON pointer.
class SchemaReader {
 public:
  static constexpr size_t kMaxShapes = 256;            // of one place
  static constexpr size_t kMaxSteps = 50'000;          // schemas read in all
  static constexpr size_t kMaxWork = size_t{1} << 28;  // see TakeWork
  static constexpr int kMaxDepth = 100;                // of schemas within each other at one place
  static constexpr size_t kMaxProperties = 2000;       // of one object

  SchemaReader(const SchemaDocument& document, PatternBudget* budget)
      : document_(document), patterns_(document, budget) {}

  // Returns the shapes whose union the conjunction of `schemas` is; none if it allows nothing.
  absl::StatusOr<std::vector<SchemaShape>> Read(const SchemaList& schemas);

  // Whether a value is of the shape. Used for enum and const, which are few and small.
  absl::StatusOr<bool> Accepts(const SchemaShape& shape, const SchemaJson& value);

  // Counts what grows with lists: about 4 ns each, a second in all. Fails if the limit is reached.
  absl::Status TakeWork(size_t work);

  const SchemaDocument& document() const { return document_; }
  StringPatterns& patterns() { return patterns_; }

 private:
  // A schema, or the branches of anyOf or oneOf, and the schemas of the same value that led there.
  struct Place {
    const SchemaJson* schema;
    SchemaList within;
  };
  struct Task {
    std::vector<Place> todo = {};
    SchemaList done = {};
    SchemaShape shape = {};
  };
  absl::Status ReadTask(Task task, int depth, std::vector<SchemaShape>* shapes);
  absl::Status ReadSchema(const Place& place, Task* task, std::vector<Place>* choices);
  absl::Status Choose(const Task& task, std::vector<Place> choices, int depth,
                      std::vector<SchemaShape>* shapes);
  absl::Status CheckDisjoint(const Place& place, const SchemaJson& branches);
  absl::StatusOr<bool> AcceptsAll(const SchemaList& schemas, const SchemaJson& value);

  const SchemaDocument& document_;
  StringPatterns patterns_;
  size_t steps_ = 0;
  size_t work_ = 0;
  int accept_depth_ = 0;
};

}  // namespace infer
