// SPDX-License-Identifier: Apache-2.0
//
// The envelope of stored graphs and Programs: limits, checksum, and errors for files of another
// kind. Works on any protobuf message and knows nothing about its contents.
#pragma once

#include <google/protobuf/message.h>

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace infer {

inline constexpr std::string_view kProgramFormat = "infer program";
inline constexpr std::string_view kGraphFormat = "infer graph";
inline constexpr std::string_view kProfileFormat = "infer profile";

// Returns the message's bytes followed by their checksum. The message must not contain a checksum.
absl::StatusOr<std::string> SealMessage(const google::protobuf::Message& message);
// Appends the checksum of `bytes` to them.
void AppendChecksum(std::string* bytes);

// Parses a file's bytes into the message. Refuses files that are too large, of another kind, not a
// message, or truncated. The caller checks format and version next and the checksum last, so that a
// file of a later version is reported as such and not as damaged.
absl::Status ParseSealed(std::string_view bytes, google::protobuf::Message* message);
// Returns the field `format` if the bytes begin with it, as files of all these kinds do; else
// empty. Check it first: the fields of one kind make no sense when read as another.
std::string_view FormatOf(std::string_view bytes);
absl::Status CheckFormat(std::string_view found, std::string_view expected);
absl::Status CheckVersion(int32_t version);
absl::Status VerifyChecksum(std::string_view bytes);

}  // namespace infer
