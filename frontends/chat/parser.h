// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "absl/status/statusor.h"
#include "frontends/chat/tree.h"

namespace infer::chat {

// Parses a template. An error names line and column; a statement, filter or test that is not
// supported is named.
absl::StatusOr<std::unique_ptr<const TemplateTree>> ParseTemplate(std::string_view source);

}  // namespace infer::chat
