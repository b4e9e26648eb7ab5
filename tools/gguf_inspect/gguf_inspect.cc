// SPDX-License-Identifier: Apache-2.0
#include "tools/gguf_inspect/gguf_inspect.h"

#include <limits>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

#include "frontends/gguf/printable.h"
#include "frontends/gguf/reader.h"
#include "ir/base/json.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "tools/gguf_inspect/name_filter.h"
#include "tools/gguf_inspect/tokenizer_report.h"
#include "tools/gguf_inspect/value_text.h"
#include "tools/report/text_table.h"

namespace infer {
namespace {

constexpr std::string_view kTemplateKey = "tokenizer.chat_template";
// Elements shown of each array in a JSON list of all metadata; --key gives the whole array.
constexpr uint64_t kJsonElements = 10;

uint64_t Elements(const WeightInfo& tensor) {
  const DTypeInfo& type = Info(tensor.dtype);
  return tensor.bytes / type.block_bytes * type.block_elements;
}

std::string Shape(const WeightInfo& tensor) {
  std::string shape;
  for (int64_t dim : tensor.dims) StrAppend(&shape, shape.empty() ? "" : " x ", dim);
  return shape;
}

std::string TextOr(const Metadata& metadata, std::string_view key, std::string_view fallback) {
  const absl::StatusOr<std::string_view> text = metadata.GetString(key);
  return EscapedText(text.ok() ? *text : fallback);
}

std::string TypesUsed(const GgufFile& file) {
  std::map<std::string_view, std::pair<uint64_t, uint64_t>> types;  // tensors, bytes
  for (const WeightInfo& tensor : file.tensors()) {
    auto& [count, bytes] = types[Name(tensor.dtype)];
    ++count;
    bytes += tensor.bytes;
  }
  std::string out;
  for (const auto& [name, sums] : types) {
    StrAppend(&out, out.empty() ? "" : ", ", sums.first, " ", name, " (", HumanBytes(sums.second),
              ")");
  }
  return out;
}

std::string Summary(const GgufFile& file) {
  uint64_t file_bytes = 0;
  uint64_t header_bytes = 0;
  uint64_t parameters = 0;
  for (const GgufFile::File& part : file.files()) {
    file_bytes += part.bytes.size();
    header_bytes += part.header.header_bytes;
  }
  for (const WeightInfo& tensor : file.tensors()) parameters += Elements(tensor);
  const Metadata& metadata = file.metadata();
  TextTable table("ll");
  table.Add({"file", Printable(file.path())});
  if (file.files().size() > 1) table.Add({"split set", StrCat(file.files().size(), " files")});
  table.Add({"format", StrCat("GGUF v", file.version(), ", data aligned to ",
                              file.files()[0].header.alignment, " bytes")});
  table.Add({"model", StrCat(TextOr(metadata, "general.name", "(no name)"), ", architecture ",
                             TextOr(metadata, "general.architecture", "(not given)"))});
  table.Add({"size", StrCat(HumanBytes(file_bytes), " (", Grouped(file_bytes), " bytes), header ",
                            HumanBytes(header_bytes))});
  table.Add({"tensors", StrCat(file.tensors().size(), ": ", TypesUsed(file))});
  table.Add({"parameters", Grouped(parameters)});
  table.Add({"header hash", file.model_ref().header_hash});
  return table.Text();
}

absl::StatusOr<TextTable> MetadataTable(const Metadata& metadata, const NameFilter& filter) {
  TextTable table("lll");
  table.Add({"key", "type", "value"});
  for (const MetadataEntry& entry : metadata.entries()) {
    if (!filter.Matches(entry.key)) continue;
    ASSIGN_OR_RETURN(std::string line, ValueLine(metadata.file(), entry.value));
    table.Add({Printable(entry.key), TypeText(entry.value), std::move(line)});
  }
  return table;
}

TextTable TensorTable(const GgufFile& file, const NameFilter& filter, ReportFormat format) {
  const bool csv = format == ReportFormat::kCsv;
  TextTable table("llrrrr");
  table.Add({"tensor", "type", "shape", csv ? "bytes" : "size", "offset", "file"});
  for (const WeightInfo& tensor : file.tensors()) {
    if (!filter.Matches(tensor.name)) continue;
    table.Add({Printable(tensor.name), std::string(Name(tensor.dtype)), Shape(tensor),
               csv ? StrCat(tensor.bytes) : HumanBytes(tensor.bytes), StrCat(tensor.offset),
               StrCat(tensor.file + 1)});
  }
  return table;
}

absl::StatusOr<Json> MetadataJson(const Metadata& metadata, const NameFilter& filter) {
  Json list = Json::array();
  for (const MetadataEntry& entry : metadata.entries()) {
    if (!filter.Matches(entry.key)) continue;
    Json item = {{"key", entry.key}, {"type", std::string(Name(entry.value.type))}};
    if (const auto* array = std::get_if<GgufArray>(&entry.value.data)) {
      item["element_type"] = std::string(Name(array->element_type));
      item["count"] = array->count;
    }
    ASSIGN_OR_RETURN(item["value"], ValueJson(metadata.file(), entry.value, kJsonElements));
    list.push_back(std::move(item));
  }
  return list;
}

Json TensorJson(const GgufFile& file, const NameFilter& filter) {
  Json list = Json::array();
  for (const WeightInfo& tensor : file.tensors()) {
    if (!filter.Matches(tensor.name)) continue;
    list.push_back({{"name", tensor.name},
                    {"type", std::string(Name(tensor.dtype))},
                    {"shape", tensor.dims},
                    {"elements", Elements(tensor)},
                    {"bytes", tensor.bytes},
                    {"offset", tensor.offset},
                    {"file", tensor.file}});
  }
  return list;
}

absl::StatusOr<std::string> OneValue(const Metadata& metadata, std::string_view key,
                                     ReportFormat format) {
  const MetadataEntry* entry = metadata.Find(key);
  if (entry == nullptr) {
    return absl::NotFoundError(StrCat(Printable(metadata.file()), ": has no key ", Quoted(key),
                                      "; --metadata lists all keys"));
  }
  if (format != ReportFormat::kJson) return ValueInFull(metadata.file(), entry->value);
  Json json = {{"schema_version", 1}, {"key", entry->key}};
  json["type"] = std::string(Name(entry->value.type));
  ASSIGN_OR_RETURN(json["value"],
                   ValueJson(metadata.file(), entry->value, std::numeric_limits<uint64_t>::max()));
  return JsonText(json, 2) + "\n";
}

absl::StatusOr<std::string> TensorsJson(const GgufFile& file, const NameFilter& filter,
                                        const InspectOptions& show) {
  Json json = {{"schema_version", 1}, {"file", file.path()}, {"version", file.version()}};
  json["header_hash"] = file.model_ref().header_hash;
  for (const ModelRef::File& part : file.model_ref().files) {
    json["files"].push_back({{"name", part.name}, {"bytes", part.bytes}});
  }
  if (show.metadata) {
    ASSIGN_OR_RETURN(json["metadata"], MetadataJson(file.metadata(), filter));
  }
  if (show.tensors) json["tensors"] = TensorJson(file, filter);
  if (show.tokenizer) {
    ASSIGN_OR_RETURN(json["tokenizer"], TokenizerJson(file.metadata(), filter));
  }
  return JsonText(json, 2) + "\n";
}

absl::StatusOr<std::string> TensorsCsv(const GgufFile& file, const NameFilter& filter,
                                       const InspectOptions& show) {
  if (show.metadata + show.tensors + show.tokenizer != 1) {
    return absl::InvalidArgumentError(
        "CSV holds one table; choose one of --metadata, --tensors and --tokenizer");
  }
  if (show.tensors) return TensorTable(file, filter, show.format).Csv();
  if (show.metadata) {
    ASSIGN_OR_RETURN(const TextTable table, MetadataTable(file.metadata(), filter));
    return table.Csv();
  }
  ASSIGN_OR_RETURN(const std::vector<TokenRow> tokens, Tokens(file.metadata(), filter));
  return TokenTable(tokens).Csv();
}

absl::StatusOr<std::string> TensorsText(const GgufFile& file, const NameFilter& filter,
                                        const InspectOptions& show, bool with_summary) {
  std::string out;
  if (with_summary) StrAppend(&out, Summary(file), "\n");
  if (show.metadata) {
    ASSIGN_OR_RETURN(const TextTable table, MetadataTable(file.metadata(), filter));
    StrAppend(&out, table.Text(), show.tensors || show.tokenizer ? "\n" : "");
  }
  if (show.tensors) {
    StrAppend(&out, TensorTable(file, filter, show.format).Text(), show.tokenizer ? "\n" : "");
  }
  if (show.tokenizer && show.grep.empty()) {
    ASSIGN_OR_RETURN(const std::string summary, TokenizerSummary(file.metadata()));
    out += summary;
  } else if (show.tokenizer) {
    ASSIGN_OR_RETURN(const std::vector<TokenRow> tokens, Tokens(file.metadata(), filter));
    out += TokenTable(tokens).Text();
  }
  return out;
}

}  // namespace

absl::StatusOr<std::string> InspectGguf(const InspectOptions& options) {
  ASSIGN_OR_RETURN(const NameFilter filter, NameFilter::Make(options.grep));
  ASSIGN_OR_RETURN(const std::shared_ptr<const GgufFile> file, GgufFile::Open(options.path));
  if (!options.key.empty()) return OneValue(file->metadata(), options.key, options.format);
  if (options.chat_template) return OneValue(file->metadata(), kTemplateKey, options.format);
  InspectOptions show = options;
  const bool shows_all = !show.metadata && !show.tensors && !show.tokenizer;
  if (shows_all) show.metadata = show.tensors = true;
  switch (options.format) {
    case ReportFormat::kJson:
      return TensorsJson(*file, filter, show);
    case ReportFormat::kCsv:
      return TensorsCsv(*file, filter, show);
    case ReportFormat::kText:
      break;
  }
  return TensorsText(*file, filter, show, shows_all && options.grep.empty());
}

}  // namespace infer
