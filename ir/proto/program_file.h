// SPDX-License-Identifier: Apache-2.0
//
// The envelope of stored graphs and Programs: limits, checksum, and what to say about a file that
// is something else. Knows protobuf messages in general and nothing of what is in them.
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

// The message's bytes with its checksum behind them. The message must not hold one.
absl::StatusOr<std::string> SealMessage(const google::protobuf::Message& message);
// Appends the checksum of `bytes` to them.
void AppendChecksum(std::string* bytes);

// Reads a file's bytes into the message: refuses what is too large, another kind of file, no
// message, or cut short. The caller looks at format and version next, then at the checksum: a later
// version is to be called that and not damaged.
absl::Status ParseSealed(std::string_view bytes, google::protobuf::Message* message);
// The field `format`, where a file of any of these kinds begins with it; else empty. Fields of one
// kind make no sense as another's, so that this is asked first.
std::string_view FormatOf(std::string_view bytes);
absl::Status CheckFormat(std::string_view found, std::string_view expected);
absl::Status CheckVersion(int32_t version);
absl::Status VerifyChecksum(std::string_view bytes);

}  // namespace infer
