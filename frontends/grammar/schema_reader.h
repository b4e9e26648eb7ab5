// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "frontends/grammar/compile_budget.h"
#include "frontends/grammar/schema_document.h"
#include "frontends/grammar/schema_shape.h"
#include "frontends/grammar/schema_values.h"
#include "frontends/grammar/string_patterns.h"
#include "ir/base/json.h"

namespace infer {

// Turns schemas into shapes: merges allOf and references, multiplies anyOf and oneOf out, and
// refuses every keyword that it does not know, with a JSON pointer.
class SchemaReader {
 public:
  static constexpr size_t kMaxShapes = 256;       // of one place
  static constexpr int kMaxDepth = 100;           // of schemas within each other at one place
  static constexpr size_t kMaxProperties = 2000;  // of one object

  SchemaReader(const SchemaDocument& document, CompileBudget* budget)
      : document_(document), budget_(*budget), patterns_(document, &values_, budget) {}

  // Returns the shapes whose union the conjunction of `schemas` is; none if it allows nothing.
  // CheckBranches must follow.
  absl::StatusOr<std::vector<SchemaShape>> Read(const SchemaList& schemas);

  // Returns an error if branches of a oneOf that was read might both hold for a value. Not part of
  // Read, since comparing branches reads what they require, which may lead back to the same oneOf.
  absl::Status CheckBranches();

  // Whether a value is of the shape. Used for enum and const, which are few and small.
  absl::StatusOr<bool> Accepts(const SchemaShape& shape, const Json& value);

  // Counts work; returns an error if there is too much of it.
  absl::Status TakeSteps(size_t steps);

  const SchemaDocument& document() const { return document_; }
  SchemaValues& values() { return values_; }
  StringPatterns& patterns() { return patterns_; }

 private:
  static constexpr uint32_t kNowhere = UINT32_MAX;

  // A schema, or the branches of anyOf or oneOf, and where in `paths_` it was found.
  struct Place {
    const Json* schema;
    uint32_t path = kNowhere;
  };
  // A schema that leads to others of the same value, and the one that led to it.
  struct Path {
    const Json* schema;
    uint32_t from;
  };
  struct Task {
    std::vector<Place> todo = {};
    absl::flat_hash_set<const Json*> done = {};
    SchemaShape shape = {};
  };
  absl::Status ReadTask(Task task, int depth, std::vector<SchemaShape>* shapes);
  absl::Status ReadSchema(const Place& place, Task* task, std::vector<Place>* choices);
  absl::Status ApplyKeywords(const Json& schema, SchemaShape* shape);
  absl::Status Choose(const Task& task, std::vector<Place> choices, int depth,
                      std::vector<SchemaShape>* shapes);
  absl::Status CheckDisjoint(const Place& branches);
  absl::StatusOr<bool> AcceptsAll(const SchemaList& schemas, const Json& value);
  absl::StatusOr<const Json*> Resolve(const Json& ref);
  absl::Status CheckLeadsOn(const Place& place);

  const SchemaDocument& document_;
  CompileBudget& budget_;
  SchemaValues values_;
  StringPatterns patterns_;
  std::vector<Path> paths_;
  absl::flat_hash_map<const Json*, const Json*> targets_;  // of references
  // The branches of every oneOf that was read, and how many of them are compared.
  std::vector<Place> to_compare_;
  absl::flat_hash_set<const Json*> is_to_compare_;
  size_t compared_ = 0;
  int accept_depth_ = 0;
};

}  // namespace infer
