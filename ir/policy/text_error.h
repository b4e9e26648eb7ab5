// SPDX-License-Identifier: Apache-2.0
//
// Turns errors of textproto files into messages that users can act on. Only for
// ir/policy/policy_text.cc and ir/policy/machine_text.cc.
#pragma once

#include <google/protobuf/text_format.h>

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "ir/policy/protobuf_compat.h"

namespace infer {

// Returns "file:3:7", counted from 1, as editors and compilers write it.
std::string PlaceText(std::string_view where, int line, int column);

// Parses a file's text into `message`. An error gives the position and, for an unknown field or
// enum value, suggests the nearest name. `places` may be nullptr.
absl::Status ParseText(std::string_view text, std::string_view where,
                       google::protobuf::Message* message,
                       google::protobuf::TextFormat::ParseInfoTree* places);

// Returns the position of element `index` of a repeated field (-1: a singular one) of the file's
// message.
std::string PlaceOf(std::string_view where, const google::protobuf::TextFormat::ParseInfoTree& tree,
                    const google::protobuf::Descriptor& message, const std::string& field,
                    int index);

}  // namespace infer
