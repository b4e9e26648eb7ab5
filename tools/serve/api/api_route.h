// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "ir/base/json.h"
#include "tools/serve/api/api_error.h"
#include "tools/serve/api/api_server.h"
#include "tools/serve/api/generation_request.h"
#include "tools/serve/api/served_model.h"
#include "tools/serve/http/http.h"

namespace infer::serve {

// A path and what answers it: one of the four functions; /placement has none of them.
struct Route {
  using Now = void (ApiServer::*)(const http::Request&, http::Responder&);
  using AboutText = absl::StatusOr<std::string> (*)(const Json&, const ServedModel&);
  using AboutVectors = absl::StatusOr<std::string> (*)(const Json&, const ServedModel&,
                                                       VectorRunner&);
  using Read = absl::StatusOr<GenerationRequest> (*)(const Json&);

  std::string_view method;
  std::string_view path;
  Now now = nullptr;                     // answers at once
  AboutText about_text = nullptr;        // answers on the worker
  AboutVectors about_vectors = nullptr;  // answers on the worker for vectors
  Read read = nullptr;                   // reads a request for the model
  bool is_public = false;                // needs no key
  ErrorDialect dialect = ErrorDialect::kOpenAi;

  // HEAD is GET without a body.
  bool Allows(std::string_view of) const {
    return of == method || (of == "HEAD" && method == "GET");
  }

  static std::span<const Route> All();
  // Returns null if there is nothing at this path.
  static const Route* Find(std::string_view path);
};

// What comes before the name of a model in a path.
inline constexpr std::string_view kModelsPrefix = "/v1/models/";

http::Response NotFound();
http::Response WrongMethod(const Route& route);

}  // namespace infer::serve
