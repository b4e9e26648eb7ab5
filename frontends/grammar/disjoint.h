// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "frontends/grammar/schema_reader.h"
#include "frontends/grammar/schema_shape.h"

namespace infer {

// Decides whether no value can be of two shapes at once. True is a proof; false may mean that none
// was found.
class DisjointShapes {
 public:
  explicit DisjointShapes(SchemaReader* reader) : reader_(*reader) {}

  absl::StatusOr<bool> Lists(const std::vector<SchemaShape>& a, const std::vector<SchemaShape>& b);

 private:
  absl::StatusOr<bool> Pair(const SchemaShape& a, const SchemaShape& b);
  absl::StatusOr<bool> Values(const std::vector<ShapeValue>& values, const SchemaShape& shape);
  absl::StatusOr<bool> Objects(const SchemaShape& a, const SchemaShape& b);
  absl::StatusOr<bool> Required(const SchemaShape& a, const SchemaShape& b);

  SchemaReader& reader_;
  int depth_ = 0;
};

}  // namespace infer
