// SPDX-License-Identifier: Apache-2.0
#include "ir/policy/protobuf_compat.h"

#include <google/protobuf/util/json_util.h>

#include "ir/base/strings.h"

namespace infer {

absl::StatusOr<std::string> MessageToJson(const google::protobuf::Message& message) {
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = true;
  options.preserve_proto_field_names = true;
  std::string json;
  auto status = google::protobuf::util::MessageToJsonString(message, &json, options);
  if (!status.ok()) return absl::InternalError(StrCat("cannot write JSON: ", status.ToString()));
  return json;
}

}  // namespace infer
