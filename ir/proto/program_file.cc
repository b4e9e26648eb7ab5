// SPDX-License-Identifier: Apache-2.0
#include "ir/proto/program_file.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>
#include <xxhash.h>

#include <algorithm>

#include "ir/base/advice.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/graph/attr.h"
#include "ir/policy/protobuf_compat.h"
#include "ir/program/program.h"
#include "ir/proto/serialize.h"

namespace infer {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

// An empty message takes two bytes in the file and up to 250 in memory. A node with everything that
// belongs to it is about 17 of these elements.
constexpr int64_t kMaxElements = int64_t{1} << 23;

constexpr char kChecksumTag = 15 << 3 | 1;  // field 15, fixed64
constexpr size_t kChecksumBytes = 1 + sizeof(uint64_t);

// Counts messages, strings and byte fields without building any of them. Returns false if the bytes
// are not a message of that type. Does not descend into unknown fields, so the depth is that of the
// schema.
bool CountElements(CodedInputStream& in, const Descriptor& type, int64_t* left) {
  while (uint32_t tag = in.ReadTag()) {
    if (WireFormatLite::GetTagWireType(tag) != WireFormatLite::WIRETYPE_LENGTH_DELIMITED) {
      if (!WireFormatLite::SkipField(&in, tag)) return false;
      continue;
    }
    uint32_t bytes = 0;
    if (--*left < 0 || !in.ReadVarint32(&bytes)) return false;
    const FieldDescriptor* field = type.FindFieldByNumber(WireFormatLite::GetTagFieldNumber(tag));
    if (field == nullptr || field->message_type() == nullptr) {
      if (!in.Skip(static_cast<int>(std::min<uint32_t>(bytes, kMaxProgramFileBytes)))) return false;
      continue;
    }
    if (bytes > kMaxProgramFileBytes) return false;
    CodedInputStream::Limit limit = in.PushLimit(static_cast<int>(bytes));
    if (!CountElements(in, *field->message_type(), left) || in.BytesUntilLimit() != 0) return false;
    in.PopLimit(limit);
  }
  return in.ConsumedEntireMessage();
}

bool IsText(std::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.begin() + std::min<size_t>(bytes.size(), 64), [](char c) {
    return (c >= ' ' && c <= '~') || c == '\n' || c == '\r' || c == '\t';
  });
}

absl::Status Error(std::string_view what) { return absl::InvalidArgumentError(ToAbsl(what)); }

// Returns an error that says what the file is, if it is clearly something else.
absl::Status CheckKind(std::string_view bytes) {
  if (bytes.empty()) return Error("is empty");
  if (bytes.starts_with("GGUF")) return Error("is a GGUF model, not a compiled Program");
  // A message begins with the tag of `format`, which is a line feed; a dump does not.
  if (bytes[0] != '\n' && IsText(bytes)) {
    return Error("looks like a text dump, which cannot be loaded; give the binary file instead");
  }
  return absl::OkStatus();
}

// Returns the field `checksum` for a file that begins with `bytes`.
std::string ChecksumField(std::string_view bytes) {
  uint64_t hash = XXH3_64bits(bytes.data(), bytes.size());
  std::string field(1, kChecksumTag);
  for (int i = 0; i < 8; ++i) field.push_back(static_cast<char>(hash >> (8 * i)));
  return field;
}

absl::Status Damaged() { return Error("is damaged or cut short"); }

}  // namespace

void AppendChecksum(std::string* bytes) { *bytes += ChecksumField(*bytes); }

absl::StatusOr<std::string> SealMessage(const google::protobuf::Message& message) {
  QuietProtobuf quiet;
  if (message.ByteSizeLong() > kMaxProgramFileBytes - kChecksumBytes) {
    return absl::ResourceExhaustedError(
        StrCat("takes ", message.ByteSizeLong(), " bytes, the limit for a file is ",
               kMaxProgramFileBytes, "; use a policy that keeps composite ops whole"));
  }
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream out(&stream);
    out.SetSerializationDeterministic(true);
    if (!message.SerializeToCodedStream(&out)) return absl::InternalError("cannot be serialized");
  }
  // Strings must be UTF-8, which the reader enforces but the writer does not.
  std::unique_ptr<google::protobuf::Message> again(message.New());
  if (!again->ParseFromString(bytes)) return Error("holds a name that is not UTF-8");
  AppendChecksum(&bytes);
  return bytes;
}

absl::Status ParseSealed(std::string_view bytes, google::protobuf::Message* message) {
  RETURN_IF_ERROR(CheckKind(bytes));
  if (bytes.size() > kMaxProgramFileBytes) {
    return Error(StrCat("has ", bytes.size(), " bytes, expected at most ", kMaxProgramFileBytes));
  }
  QuietProtobuf quiet;
  int64_t left = kMaxElements;
  CodedInputStream in(reinterpret_cast<const uint8_t*>(bytes.data()),
                      static_cast<int>(bytes.size()));
  if (!CountElements(in, *message->GetDescriptor(), &left)) {
    return left < 0 ? Error(StrCat("has more than ", kMaxElements, " parts")) : Damaged();
  }
  if (!message->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return Damaged();
  return absl::OkStatus();
}

std::string_view FormatOf(std::string_view bytes) {
  constexpr char kFormatTag = 1 << 3 | 2;  // field 1, a string
  if (bytes.size() < 2 || bytes[0] != kFormatTag) return {};
  const auto length = static_cast<unsigned char>(bytes[1]);
  const bool whole = length < 0x80 && length <= bytes.size() - 2;
  return whole ? bytes.substr(2, length) : std::string_view();
}

absl::Status CheckFormat(std::string_view found, std::string_view expected) {
  if (found == expected) return absl::OkStatus();
  if (found == kProfileFormat) {
    return WithAdvice(
        Error(StrCat("is a profile, expected an ", expected, "; pass it as a profile")),
        {Advice::kProfileInput});
  }
  if (found == kGraphFormat || found == kProgramFormat) {
    return Error(StrCat("is an ", found, ", expected an ", expected));
  }
  return Error(StrCat("is not an ", expected));
}

absl::Status CheckVersion(int32_t version) {
  if (version > kProgramSchemaVersion) {
    return Error(StrCat("was written by a newer version (schema ", version,
                        ", known here: ", kProgramSchemaVersion, "); update infer"));
  }
  if (version >= 1) return absl::OkStatus();
  return Error(StrCat("has schema version ", version, ", expected 1 to ", kProgramSchemaVersion));
}

absl::Status VerifyChecksum(std::string_view bytes) {
  if (bytes.size() < kChecksumBytes) return Damaged();
  std::string_view content = bytes.substr(0, bytes.size() - kChecksumBytes);
  return bytes.ends_with(ChecksumField(content)) ? absl::OkStatus() : Damaged();
}

}  // namespace infer
