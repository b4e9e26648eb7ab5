// SPDX-License-Identifier: Apache-2.0
#include "tools/gguf_inspect/tokenizer_report.h"

#include <map>
#include <variant>

#include "ir/base/json.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "tools/gguf_inspect/value_text.h"

namespace infer {
namespace {

constexpr std::string_view kPrefix = "tokenizer.";
constexpr std::string_view kTokens = "tokenizer.ggml.tokens";
constexpr std::string_view kTypes = "tokenizer.ggml.token_type";

std::string_view TokenTypeName(int32_t type) {
  constexpr std::string_view kNames[] = {"undefined",    "normal", "unknown", "control",
                                         "user-defined", "unused", "byte"};
  const auto index = static_cast<uint32_t>(type);
  return index < std::size(kNames) ? kNames[index] : "invalid";
}

bool IsTokenId(const MetadataEntry& entry) {
  return entry.key.ends_with("_token_id") && std::holds_alternative<uint64_t>(entry.value.data);
}

std::string TokenText(const std::vector<std::string_view>& tokens, uint64_t id) {
  if (id >= tokens.size()) return " (not in the vocabulary)";
  return StrCat("  ", EscapedText(tokens[id]));
}

}  // namespace

absl::StatusOr<std::vector<TokenRow>> Tokens(const Metadata& metadata, const NameFilter& filter) {
  std::vector<TokenRow> rows;
  if (!metadata.Has(kTokens)) return rows;
  ASSIGN_OR_RETURN(const std::vector<std::string_view> tokens, metadata.GetStrings(kTokens));
  std::vector<int32_t> types;
  if (metadata.Has(kTypes)) {
    ASSIGN_OR_RETURN(types, metadata.GetInt32s(kTypes));
  }
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (!filter.Matches(tokens[i])) continue;
    rows.push_back({i, i < types.size() ? TokenTypeName(types[i]) : "", tokens[i]});
  }
  return rows;
}

TextTable TokenTable(const std::vector<TokenRow>& tokens) {
  TextTable table("rll");
  table.Add({"id", "type", "text"});
  for (const TokenRow& token : tokens) {
    table.Add({StrCat(token.id), std::string(token.type), EscapedText(token.text)});
  }
  return table;
}

absl::StatusOr<std::string> TokenizerSummary(const Metadata& metadata) {
  ASSIGN_OR_RETURN(const NameFilter all, NameFilter::Make(""));
  ASSIGN_OR_RETURN(const std::vector<TokenRow> rows, Tokens(metadata, all));
  std::vector<std::string_view> texts;
  std::map<std::string_view, uint64_t> counts;
  for (const TokenRow& row : rows) {
    texts.push_back(row.text);
    ++counts[row.type];
  }
  TextTable table("ll");
  for (const MetadataEntry& entry : metadata.entries()) {
    if (!entry.key.starts_with(kPrefix)) continue;
    std::string text;
    if (const auto* array = std::get_if<GgufArray>(&entry.value.data)) {
      text = StrCat(Grouped(array->count), " x ", Name(array->element_type));
    } else {
      ASSIGN_OR_RETURN(text, ValueLine(metadata.file(), entry.value));
    }
    if (IsTokenId(entry)) text += TokenText(texts, std::get<uint64_t>(entry.value.data));
    table.Add({StrCat("  ", entry.key), text});
  }
  for (const auto& [type, count] : counts) {
    if (!type.empty()) table.Add({StrCat("  ", type, " tokens"), Grouped(count)});
  }
  return table.Text();
}

absl::StatusOr<Json> TokenizerJson(const Metadata& metadata, const NameFilter& filter) {
  Json json = Json::object();
  for (const MetadataEntry& entry : metadata.entries()) {
    if (!entry.key.starts_with(kPrefix)) continue;
    if (std::holds_alternative<GgufArray>(entry.value.data)) {
      json[entry.key + ".count"] = std::get<GgufArray>(entry.value.data).count;
    } else {
      ASSIGN_OR_RETURN(json[entry.key], ValueJson(metadata.file(), entry.value, 0));
    }
  }
  ASSIGN_OR_RETURN(const std::vector<TokenRow> rows, Tokens(metadata, filter));
  Json tokens = Json::array();
  for (const TokenRow& row : rows) {
    tokens.push_back(
        {{"id", row.id}, {"type", std::string(row.type)}, {"text", std::string(row.text)}});
  }
  json["tokens"] = std::move(tokens);
  return json;
}

}  // namespace infer
