// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/base/json.h"

namespace infer {

// A parsed JSON schema: follows references, and names places by JSON pointers.
class SchemaDocument {
 public:
  static constexpr size_t kMaxBytes = size_t{1} << 20;
  static constexpr int kMaxDepth = 128;

  static absl::StatusOr<SchemaDocument> Parse(std::string_view text);

  const Json& root() const { return *root_; }
  // Whether keywords beside $ref have no meaning, as up to draft 7.
  bool ignores_beside_ref() const { return ignores_beside_ref_; }
  // Returns the schema that a $ref names: one of this document.
  absl::StatusOr<const Json*> Resolve(const Json& ref) const;

  // Returns an error that names `place`, which is part of the document.
  absl::Status Error(const Json& place, std::string_view what) const;

 private:
  std::string PointerTo(const Json& place) const;

  std::shared_ptr<const Json> root_;
  absl::flat_hash_map<std::string, const Json*> anchors_;
  std::string base_;  // the URI of the document; often empty
  bool ignores_beside_ref_ = false;
};

}  // namespace infer
