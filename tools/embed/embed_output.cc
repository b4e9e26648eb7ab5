// SPDX-License-Identifier: Apache-2.0
#include "tools/embed/embed_output.h"

#include <bit>
#include <charconv>

#include "ir/base/json.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "tools/api/embedding_text.h"
#include "tools/api/rerank_prompt.h"

namespace infer {
namespace {

static_assert(std::endian::native == std::endian::little, "files hold little-endian floats");

// The shortest text that reads back as the same number.
std::string NumberText(double value) {
  char buffer[32];
  return std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}

std::string Quoted(std::string_view text) { return JsonText(text); }

std::string Usage(int64_t tokens) {
  return StrCat("{\"prompt_tokens\":", tokens, ",\"total_tokens\":", tokens, "}");
}

}  // namespace

absl::Status VectorWriter::Add(std::span<const float> vector) {
  const int64_t index = count_++;
  switch (format_) {
    case EmbedFormat::kRaw:
      return write_({reinterpret_cast<const char*>(vector.data()), vector.size_bytes()});
    case EmbedFormat::kCsv:
      return write_(JoinNumbers(vector, "nan") + "\n");
    case EmbedFormat::kJson:
      break;
  }
  return write_(StrCat(index == 0 ? "{\"object\":\"list\",\"data\":[\n" : ",\n",
                       "{\"object\":\"embedding\",\"index\":", index, ",\"embedding\":[",
                       JoinNumbers(vector, "null"), "]}"));
}

absl::Status VectorWriter::Finish(std::string_view model, int64_t tokens) {
  if (format_ != EmbedFormat::kJson) return absl::OkStatus();
  return write_(StrCat(count_ == 0 ? "{\"object\":\"list\",\"data\":[" : "",
                       "\n],\"model\":", Quoted(model), ",\"usage\":", Usage(tokens), "}\n"));
}

std::string ScoresText(EmbedFormat format, std::span<const double> scores, std::string_view model,
                       int64_t tokens) {
  std::string text;
  if (format == EmbedFormat::kRaw) {
    for (double score : scores) {
      const auto rounded = static_cast<float>(score);
      text.append(reinterpret_cast<const char*>(&rounded), sizeof rounded);
    }
    return text;
  }
  if (format == EmbedFormat::kCsv) {
    for (size_t i = 0; i < scores.size(); ++i) {
      StrAppend(&text, i, ",", NumberText(scores[i]), "\n");
    }
    return text;
  }
  const std::vector<size_t> order = BestFirst(scores);
  StrAppend(&text, "{\"model\":", Quoted(model), ",\"results\":[");
  for (size_t i = 0; i < order.size(); ++i) {
    StrAppend(&text, i == 0 ? "\n" : ",\n", "{\"index\":", order[i],
              ",\"relevance_score\":", NumberText(scores[order[i]]), "}");
  }
  StrAppend(&text, "\n],\"usage\":", Usage(tokens), "}\n");
  return text;
}

}  // namespace infer
