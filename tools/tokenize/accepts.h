// SPDX-License-Identifier: Apache-2.0
//
// infer-tokenize --accepts: whether a JSON schema or a grammar allows a document.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace infer {

struct AcceptsOptions {
  std::string json_schema;  // file; one of the two is given
  std::string grammar;      // file
  std::string document;     // file; - is stdin

  bool IsAsked() const { return !json_schema.empty() || !grammar.empty() || !document.empty(); }
};

// Returns a usage error if the flags do not fit together.
absl::Status CheckAccepts(const AcceptsOptions& options);

// Returns kVerification with the place and what was expected there if the document is not allowed,
// and kBadInput if the schema or grammar cannot be compiled.
absl::Status RunAccepts(const AcceptsOptions& options);

}  // namespace infer
