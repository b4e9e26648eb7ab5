// SPDX-License-Identifier: Apache-2.0
#include "tools/tokenize/tokenize.h"

#include <algorithm>
#include <charconv>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "frontends/tokenizer/utf8.h"
#include "ir/base/json.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

void AppendVisible(std::string_view sequence, bool is_utf8, std::string* out) {
  auto first = static_cast<uint8_t>(sequence[0]);
  if (is_utf8 && sequence.size() > 1 &&
      !(first == 0xC2 && static_cast<uint8_t>(sequence[1]) < 0xA0)) {
    out->append(sequence);
  } else if (sequence == "\n") {
    out->append("\\n");
  } else if (sequence == "\r") {
    out->append("\\r");
  } else if (sequence == "\t") {
    out->append("\\t");
  } else if (sequence == "\\") {
    out->append("\\\\");
  } else if (first >= 0x20 && first < 0x7F) {
    out->append(sequence);
  } else {
    for (char c : sequence) out->append(absl::StrFormat("\\x%02X", static_cast<uint8_t>(c)));
  }
}

Json TokenJson(const Vocabulary& vocabulary, int32_t id) {
  return {{"id", id},
          {"piece", VisiblePiece(vocabulary, id)},
          {"type", TokenTypeName(vocabulary.type(id))}};
}

}  // namespace

std::string VisiblePiece(const Vocabulary& vocabulary, int32_t id) {
  std::string bytes;
  vocabulary.AppendBytes(id, &bytes);
  if (vocabulary.type(id) == TokenType::kUnused) bytes = vocabulary.text(id);
  std::string out;
  std::string_view rest = bytes;
  while (!rest.empty()) {
    Utf8Scan scan = ScanUtf8(rest);
    AppendVisible(rest.substr(0, scan.bytes), scan.kind == Utf8Kind::kComplete, &out);
    rest.remove_prefix(scan.bytes);
  }
  return out;
}

absl::StatusOr<std::string> TokenizeText(const Tokenizer& tokenizer, std::string_view text,
                                         TokenizeFormat format, const EncodeOptions& options) {
  ASSIGN_OR_RETURN(std::vector<int32_t> ids, tokenizer.Encode(text, options));
  return FormatTokens(tokenizer.vocabulary(), ids, format);
}

std::string FormatTokens(const Vocabulary& vocabulary, const std::vector<int32_t>& ids,
                         TokenizeFormat format) {
  if (format == TokenizeFormat::kIds) return absl::StrJoin(ids, ",") + "\n";
  if (format == TokenizeFormat::kJson) {
    Json json = {
        {"schema_version", 1}, {"count", ids.size()}, {"ids", ids}, {"tokens", Json::array()}};
    for (int32_t id : ids) json["tokens"].push_back(TokenJson(vocabulary, id));
    return JsonText(json) + "\n";
  }
  std::string out;
  for (int32_t id : ids) StrAppend(&out, id, "\t", VisiblePiece(vocabulary, id), "\n");
  return out;
}

absl::StatusOr<std::string> DetokenizeIds(const Tokenizer& tokenizer, std::string_view id_list,
                                          TokenizeFormat format, const DecodeOptions& options) {
  ASSIGN_OR_RETURN(std::vector<int32_t> ids, ParseIdList(id_list));
  ASSIGN_OR_RETURN(std::string text, tokenizer.Decode(ids, options));
  if (format == TokenizeFormat::kJson)
    return JsonText({{"schema_version", 1}, {"text", text}}) + "\n";
  return text;
}

absl::StatusOr<std::vector<int32_t>> ParseIdList(std::string_view id_list) {
  std::vector<int32_t> ids;
  if (absl::StripAsciiWhitespace(ToAbsl(id_list)).empty()) return ids;
  for (size_t begin = 0; begin <= id_list.size();) {
    size_t end = std::min(id_list.find(',', begin), id_list.size());
    std::string_view item =
        ToStd(absl::StripAsciiWhitespace(ToAbsl(id_list.substr(begin, end - begin))));
    int32_t id = 0;
    auto [stop, error] = std::from_chars(item.data(), item.data() + item.size(), id);
    if (error != std::errc() || stop != item.data() + item.size() || id < 0) {
      constexpr size_t kShownBytes = 40;
      return absl::InvalidArgumentError(
          StrCat("token ids: item ", ids.size() + 1, " is \"",
                 absl::CHexEscape(ToAbsl(item.substr(0, kShownBytes))),
                 "\", expected numbers from 0 to 2147483647 separated by commas, such as 1,2,3"));
    }
    ids.push_back(id);
    begin = end + 1;
  }
  return ids;
}

}  // namespace infer
