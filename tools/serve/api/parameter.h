// SPDX-License-Identifier: Apache-2.0
//
// The parameters of a request as data: one row for each.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "absl/status/status.h"
#include "ir/base/json.h"
#include "tools/serve/api/generation_request.h"

namespace infer::serve {

// Most tokens that a request may ask for, and most token ids in it.
inline constexpr double kMaxTokens = 1 << 30;
inline constexpr size_t kMaxIds = size_t{1} << 20;

// Accepts any value, without effect.
struct Accepted {};
// Refuses every value but null and `but`, a JSON text, because of `why`.
struct Refused {
  std::string_view why;
  std::string_view but = "null";
};

struct Parameter {
  // Reads a value that is not null. `path` is its place in the request.
  using Reader = absl::Status (*)(const Json& value, std::string_view path,
                                  GenerationRequest* request);

  std::string_view name;
  std::variant<Accepted, Refused, Reader, bool GenerationRequest::*,
               std::string GenerationRequest::*, std::optional<bool> GenerationRequest::*,
               std::optional<double> GenerationRequest::*,
               std::optional<int64_t> GenerationRequest::*>
      target;
  // Allowed range of a number; of a text its bytes.
  double min = 0;
  double max = 0;
};

using ParameterTable = std::span<const Parameter>;

// Sets what the members of `object` say. A value of the wrong type or out of range is an error with
// its path; null means not given; names that no table has are kept in `request->ignored`. `prefix`
// is the path of the object: "" or "reasoning.".
absl::Status ReadParameters(const Json& object, std::string_view prefix,
                            std::initializer_list<ParameterTable> tables,
                            GenerationRequest* request);

// Keeps the name of a parameter without effect, reduced to harmless characters.
void Ignore(std::string_view name, GenerationRequest* request);

}  // namespace infer::serve
