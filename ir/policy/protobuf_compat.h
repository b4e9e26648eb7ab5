// SPDX-License-Identifier: Apache-2.0
//
// The one place that knows how protobuf's API differs between 3.21 (Debian) and later releases.
#pragma once

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/message.h>
#include <google/protobuf/stubs/common.h>
#if GOOGLE_PROTOBUF_VERSION < 4022000
#include <google/protobuf/stubs/logging.h>
#endif

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace infer {

// Keeps the first error of a text parse. Line and column count from 0.
class FirstTextError : public google::protobuf::io::ErrorCollector {
 public:
#if GOOGLE_PROTOBUF_VERSION < 4022000
  void AddError(int line, int column, const std::string& message) override {
    Keep(line, column, message);
  }
  void AddWarning(int, int, const std::string&) override {}
#else
  void RecordError(int line, int column, absl::string_view message) override {
    Keep(line, column, {message.data(), message.size()});
  }
  void RecordWarning(int, int, absl::string_view) override {}
#endif

  int line() const { return line_; }
  int column() const { return column_; }
  const std::string& message() const { return message_; }

 private:
  void Keep(int line, int column, std::string_view message) {
    if (!message_.empty()) return;
    line_ = line;
    column_ = column;
    message_ = message;
  }

  int line_ = 0;
  int column_ = 0;
  std::string message_;
};

// While an instance exists, protobuf does not write its own lines to stderr next to the error we
// return. Later releases have no such switch.
class QuietProtobuf {
 public:
  QuietProtobuf() {}  // NOLINT: keeps "unused variable" away where there is no member
#if GOOGLE_PROTOBUF_VERSION < 4022000
 private:
  google::protobuf::LogSilencer silencer_;
#endif
};

// Returns the message as JSON with the field names of the .proto file.
absl::StatusOr<std::string> MessageToJson(const google::protobuf::Message& message);

}  // namespace infer
