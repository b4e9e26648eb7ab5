// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/api/parameter.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "ir/base/json.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "tools/serve/api/api_error.h"
#include "tools/serve/api/limits.h"
#include "tools/serve/api/request_json.h"

namespace infer::serve {
namespace {

constexpr size_t kMaxNameBytes = 64;

// Reads one value into whatever its row points at.
class ValueReader {
 public:
  ValueReader(const Parameter& row, const Json& value, std::string_view path,
              GenerationRequest* request)
      : row_(row), value_(value), path_(path), request_(request) {}

  absl::Status operator()(Accepted) const { return absl::OkStatus(); }
  absl::Status operator()(const Refused& refused) const {
    if (JsonText(value_) == refused.but) return absl::OkStatus();
    return WithCode(WrongValue(path_, refused.why), "unsupported_parameter");
  }
  absl::Status operator()(Parameter::Reader read) const { return read(value_, path_, request_); }
  absl::Status operator()(bool GenerationRequest::* member) const {
    return ReadFlag([&](bool flag) { request_->*member = flag; });
  }
  absl::Status operator()(std::optional<bool> GenerationRequest::* member) const {
    return ReadFlag([&](bool flag) { request_->*member = flag; });
  }
  absl::Status operator()(std::string GenerationRequest::* member) const {
    if (!value_.is_string()) return Wrong("expected a string");
    const auto& text = value_.get_ref<const std::string&>();
    if (static_cast<double>(text.size()) > row_.max) {
      return Wrong(StrCat("expected at most ", row_.max, " bytes"));
    }
    request_->*member = text;
    return absl::OkStatus();
  }
  absl::Status operator()(std::optional<double> GenerationRequest::* member) const {
    if (!value_.is_number()) return Wrong(StrCat("expected a number", Range()));
    const double number = value_.get<double>();
    if (!(number >= row_.min && number <= row_.max)) {
      return Wrong(StrCat("expected a number", Range()));
    }
    request_->*member = number;
    return absl::OkStatus();
  }
  absl::Status operator()(std::optional<int64_t> GenerationRequest::* member) const {
    // Some clients write whole numbers as 64.0.
    if (!value_.is_number() || value_.get<double>() != std::trunc(value_.get<double>())) {
      return Wrong(StrCat("expected an integer", Range()));
    }
    const double number = value_.get<double>();
    if (!(number >= row_.min && number <= row_.max)) {
      return Wrong(StrCat("expected an integer", Range()));
    }
    request_->*member =
        value_.is_number_integer() ? value_.get<int64_t>() : static_cast<int64_t>(number);
    return absl::OkStatus();
  }

 private:
  template <class Set>
  absl::Status ReadFlag(const Set& set) const {
    if (!value_.is_boolean()) return Wrong("expected true or false");
    set(value_.get<bool>());
    return absl::OkStatus();
  }
  std::string Range() const { return StrCat(" from ", row_.min, " to ", row_.max); }
  absl::Status Wrong(std::string_view expected) const {
    return WrongValue(path_, StrCat(expected, ", got ", ShownJson(value_)));
  }

  const Parameter& row_;
  const Json& value_;
  std::string_view path_;
  GenerationRequest* request_;
};

const Parameter* Find(std::string_view name, std::initializer_list<ParameterTable> tables) {
  for (const ParameterTable& table : tables) {
    const auto row = std::ranges::find(table, name, &Parameter::name);
    if (row != table.end()) return &*row;
  }
  return nullptr;
}

}  // namespace

void Ignore(std::string_view name, GenerationRequest* request) {
  if (request->ignored.size() >= kMaxIgnoredNames) return;
  std::string safe;
  for (const char c : name.substr(0, kMaxNameBytes)) {
    const bool is_safe =
        absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '-';
    safe += is_safe ? c : '_';
  }
  request->ignored.push_back(std::move(safe));
}

absl::Status ReadParameters(const Json& object, std::string_view prefix,
                            std::initializer_list<ParameterTable> tables,
                            GenerationRequest* request) {
  for (const auto& [name, value] : object.items()) {
    const Parameter* row = Find(name, tables);
    const std::string path = StrCat(prefix, name);
    if (row == nullptr) {
      Ignore(path, request);
    } else if (!value.is_null()) {
      RETURN_IF_ERROR(std::visit(ValueReader(*row, value, path, request), row->target));
    }
  }
  return absl::OkStatus();
}

}  // namespace infer::serve
