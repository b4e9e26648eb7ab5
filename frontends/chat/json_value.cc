// SPDX-License-Identifier: Apache-2.0
#include "frontends/chat/json_value.h"

#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "ir/base/strings.h"

namespace infer::chat {
namespace {

constexpr size_t kMaxJsonDepth = 128;

// Builds values while the parser reads, so that neither recursion nor a second tree is needed.
class Builder final : public nlohmann::json_sax<nlohmann::json> {
 public:
  Builder(bool from_request, Heap* heap) : from_request_(from_request), heap_(heap) {}

  bool null() override { return Add(None()); }
  bool boolean(bool value) override { return Add(value); }
  bool number_integer(number_integer_t value) override { return Add(value); }
  bool number_unsigned(number_unsigned_t value) override {
    if (value <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
      return Add(static_cast<int64_t>(value));
    }
    return Big(StrCat(value));
  }
  bool number_float(number_float_t value, const string_t& text) override {
    const bool is_integer = text.find_first_of(".eE") == string_t::npos;  // more than 64 bits
    return is_integer ? Big(text) : Add(value);
  }
  bool string(string_t& value) override { return Add(Text(std::move(value))); }
  bool binary(binary_t&) override { return false; }
  bool start_object(size_t) override { return Open(heap_->NewDict()); }
  bool key(string_t& value) override {
    open_.back().key = Text(std::move(value));
    return true;
  }
  bool end_object() override { return Close(); }
  bool start_array(size_t) override { return Open(heap_->NewList()); }
  bool end_array() override { return Close(); }
  bool parse_error(size_t, const std::string&, const nlohmann::detail::exception& error) override {
    error_ = error.what();
    return false;
  }

  Value result() const { return result_; }
  const std::string& error() const { return error_; }

  // Returns where the parser stopped: "messages[2].content".
  std::string Path() const {
    std::string path;
    for (const Level& level : open_) {
      if (const List* list = AsList(level.container)) {
        StrAppend(&path, "[", list->items.size(), "]");
      } else if (const MarkedText* key = AsText(level.key)) {
        StrAppend(&path, path.empty() ? "" : ".", key->text());
      }
    }
    return path;
  }

 private:
  struct Level {
    Value container;
    Value key;
  };

  Value Text(std::string text) {
    return heap_->NewString(from_request_ ? MarkedText::FromRequest(std::move(text))
                                          : MarkedText(std::move(text)));
  }
  bool Big(std::string text) {
    return Add(BigInteger{std::make_shared<const MarkedText>(
        from_request_ ? MarkedText::FromRequest(std::move(text)) : MarkedText(std::move(text)))});
  }
  bool Add(Value value) {
    if (!heap_->budget().ok()) {
      error_ = std::string(heap_->budget().status().message());
      return false;
    }
    if (open_.empty()) {
      result_ = std::move(value);
    } else if (List* list = AsList(open_.back().container)) {
      heap_->Push(list, std::move(value));
    } else {
      heap_->Set(AsDict(open_.back().container), open_.back().key, std::move(value));
    }
    return true;
  }
  bool Open(Value container) {
    if (open_.size() == kMaxJsonDepth) {
      error_ = StrCat("nested deeper than ", kMaxJsonDepth);
      return false;
    }
    open_.push_back({std::move(container), Value()});
    return true;
  }
  bool Close() {
    Value done = std::move(open_.back().container);
    open_.pop_back();
    return Add(std::move(done));
  }

  bool from_request_;
  Heap* heap_;
  Value result_;
  std::vector<Level> open_;
  std::string error_;
};

}  // namespace

absl::StatusOr<Value> ParseJson(std::string_view json, bool from_request, std::string_view what,
                                Heap& heap) {
  Builder builder(from_request, &heap);
  if (!nlohmann::json::sax_parse(json.begin(), json.end(), &builder)) {
    const std::string path = builder.Path();
    return absl::InvalidArgumentError(StrCat(what, path.empty() ? "" : StrCat(" at ", path),
                                             " is not valid JSON: ", builder.error()));
  }
  return builder.result();
}

}  // namespace infer::chat
