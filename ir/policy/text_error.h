// SPDX-License-Identifier: Apache-2.0
//
// Errors of textproto files as people can act on them. Only for ir/policy/policy_text.cc and
// ir/machine*.cc.
#pragma once

#include <google/protobuf/text_format.h>

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "ir/policy/protobuf_compat.h"

namespace infer {

// "file:3:7", counted from 1, as editors and compilers write it.
std::string PlaceText(std::string_view where, int line, int column);

// A file's text as a message of its own: an error with place, and with the nearest name where a
// field or a value of an enum does not exist. `places` may be nullptr.
absl::Status ParseText(std::string_view text, std::string_view where,
                       google::protobuf::Message* message,
                       google::protobuf::TextFormat::ParseInfoTree* places);

// Where element `index` of a repeated field (-1: a single one) of the file's message is written.
std::string PlaceOf(std::string_view where, const google::protobuf::TextFormat::ParseInfoTree& tree,
                    const google::protobuf::Descriptor& message, const std::string& field,
                    int index);

}  // namespace infer
