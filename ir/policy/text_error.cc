// SPDX-License-Identifier: Apache-2.0
#include "ir/policy/text_error.h"

#include <memory>
#include <vector>

#include "ir/base/nearest.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::FileDescriptor;
using google::protobuf::Message;
using google::protobuf::TextFormat;

// Files nest two levels deep.
constexpr int kMaxNesting = 10;

template <class Named>
std::string_view NameOf(const Named& named) {
  return {named.name().data(), named.name().size()};
}

// Returns the text between the quotes that follow `before`, or nothing.
std::string_view QuotedAfter(std::string_view message, std::string_view before) {
  size_t at = message.find(before);
  if (at == std::string_view::npos) return {};
  std::string_view rest = message.substr(at + before.size());
  size_t end = rest.find('"');
  return end == std::string_view::npos ? std::string_view() : rest.substr(0, end);
}

std::string_view CalledInFiles(const Descriptor& type) {
  const std::string_view name = NameOf(type);
  if (name == "Policy") return "a policy";
  if (name == "Rule") return "a rule";
  if (name == "MachineDescription") return "a machine description";
  if (name == "TargetCost") return "an entry of target";
  if (name == "KernelRate") return "an entry of kernel";
  return name == "RowRate" ? "an entry of rate" : name;
}

// Finds the message type of the file that `full_name` ends with.
const Descriptor* FindType(const FileDescriptor& file, std::string_view full_name) {
  for (int i = 0; i < file.message_type_count(); ++i) {
    if (full_name.ends_with(StrCat(".", NameOf(*file.message_type(i)))))
      return file.message_type(i);
  }
  return nullptr;
}

const EnumDescriptor* FindEnum(const FileDescriptor& file, std::string_view field) {
  for (int i = 0; i < file.message_type_count(); ++i) {
    const Descriptor& type = *file.message_type(i);
    for (int f = 0; f < type.field_count(); ++f) {
      if (NameOf(*type.field(f)) == field && type.field(f)->enum_type() != nullptr) {
        return type.field(f)->enum_type();
      }
    }
  }
  return nullptr;
}

std::vector<std::string_view> FieldNames(const Descriptor& type) {
  std::vector<std::string_view> names;
  for (int i = 0; i < type.field_count(); ++i) names.push_back(NameOf(*type.field(i)));
  return names;
}

std::vector<std::string_view> ValueNames(const EnumDescriptor& type) {
  std::vector<std::string_view> names;
  for (int i = 0; i < type.value_count(); ++i) {
    std::string_view name = NameOf(*type.value(i));
    // An unset value is not suggested.
    if (name != "TARGET_UNSPECIFIED" && name != "ANY_PHASE") names.push_back(name);
  }
  return names;
}

constexpr std::string_view kNoField = "has no field named \"";

// The column of an unknown field, because protobuf has already moved past the name.
int ColumnOf(std::string_view text, const FirstTextError& error) {
  const std::string_view field = QuotedAfter(error.message(), kNoField);
  for (int line = 0; line < error.line(); ++line) {
    const size_t end = text.find('\n');
    if (end == std::string_view::npos) return error.column();
    text.remove_prefix(end + 1);
  }
  const size_t at = text.substr(0, text.find('\n')).rfind(field, error.column());
  return field.empty() || at == std::string_view::npos ? error.column() : static_cast<int>(at);
}

// Returns protobuf's message, with a suggestion if it is about an unknown name.
std::string Explain(std::string_view message, const FileDescriptor& file) {
  const std::string_view field = QuotedAfter(message, kNoField);
  const Descriptor* type = FindType(file, QuotedAfter(message, "Message type \""));
  if (!field.empty() && type != nullptr) {
    return StrCat(CalledInFiles(*type), " has no field ", field,
                  DidYouMean(field, FieldNames(*type)));
  }
  const std::string_view value = QuotedAfter(message, "Unknown enumeration value of \"");
  const std::string_view name = QuotedAfter(message, "for field \"");
  const EnumDescriptor* values = FindEnum(file, name);
  if (!value.empty() && values != nullptr) {
    return StrCat(name, " has no value ", value, DidYouMean(value, ValueNames(*values)));
  }
  return std::string(message);
}

}  // namespace

std::string PlaceText(std::string_view where, int line, int column) {
  return StrCat(where, ":", line + 1, ":", column + 1);
}

absl::Status ParseText(std::string_view text, std::string_view where, Message* message,
                       TextFormat::ParseInfoTree* places) {
  QuietProtobuf quiet;
  FirstTextError first;
  TextFormat::Parser parser;
  parser.RecordErrorsTo(&first);
  if (places != nullptr) parser.WriteLocationsTo(places);
  parser.SetRecursionLimit(kMaxNesting);
  if (!parser.ParseFromString(std::string(text), message)) {
    return absl::InvalidArgumentError(
        StrCat(PlaceText(where, first.line(), ColumnOf(text, first)), ": ",
               Explain(first.message(), *message->GetDescriptor()->file())));
  }
  const std::unique_ptr<Message> again(message->New());
  if (again->ParseFromString(message->SerializeAsString())) return absl::OkStatus();
  return absl::InvalidArgumentError(StrCat(where, ": has text that is not UTF-8"));
}

std::string PlaceOf(std::string_view where, const TextFormat::ParseInfoTree& tree,
                    const Descriptor& message, const std::string& field, int index) {
  const FieldDescriptor* found = message.FindFieldByName(field);
  if (found == nullptr) return std::string(where);
  const TextFormat::ParseLocation place = tree.GetLocation(found, index);
  return place.line < 0 ? std::string(where) : PlaceText(where, place.line, place.column);
}

}  // namespace infer
