// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "frontends/gguf/header_hash.h"
#include "frontends/gguf/printable.h"
#include "frontends/gguf/reader.h"
#include "frontends/gguf/weights.h"
#include "ir/base/json.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "tools/gguf_inspect/gguf_inspect.h"
#include "tools/gguf_inspect/value_text.h"
#include "tools/report/text_table.h"

namespace infer {
namespace {

std::string Hex(uint64_t hash) { return absl::StrFormat("%016x", hash); }

// Returns the hash of the header's hash and all tensors' hashes, in the order of the file.
std::string TotalHash(const GgufFile& file, const std::vector<uint64_t>& hashes) {
  HeaderHash total;
  const std::string& header = file.model_ref().header_hash;
  total.Add(std::as_bytes(std::span(header)));
  total.Add(std::as_bytes(std::span(hashes)));
  return total.Hex();
}

std::string HashesJson(const GgufFile& file, bool full, const std::vector<uint64_t>& hashes) {
  Json tensors = Json::array();
  for (size_t i = 0; i < hashes.size(); ++i) {
    tensors.push_back({{"name", file.tensors()[i].name}, {"hash", Hex(hashes[i])}});
  }
  return JsonText({{"schema_version", 1},
                   {"file", file.path()},
                   {"header_hash", file.model_ref().header_hash},
                   {"kind", full ? "full" : "sample"},
                   {"tensors", std::move(tensors)},
                   {"total", TotalHash(file, hashes)}},
                  2) +
         "\n";
}

TextTable Table(const GgufFile& file, const std::vector<uint64_t>& hashes) {
  TextTable table("lrl");
  table.Add({"hash", "bytes", "tensor"});
  for (size_t i = 0; i < hashes.size(); ++i) {
    const WeightInfo& tensor = file.tensors()[i];
    table.Add({Hex(hashes[i]), StrCat(tensor.bytes), Printable(tensor.name)});
  }
  return table;
}

}  // namespace

absl::StatusOr<std::string> HashGguf(const HashOptions& options) {
  ASSIGN_OR_RETURN(const std::shared_ptr<const GgufFile> file, GgufFile::Open(options.path));
  const GgufWeights weights(file);
  uint64_t total_bytes = 0;
  for (const WeightInfo& tensor : file->tensors()) total_bytes += tensor.bytes;
  std::vector<uint64_t> hashes;
  uint64_t done_bytes = 0;
  for (const WeightInfo& tensor : file->tensors()) {
    hashes.push_back(options.full ? weights.FullHash(tensor) : weights.SampleHash(tensor));
    done_bytes += tensor.bytes;
    if (options.progress) options.progress(done_bytes, total_bytes);
  }
  RETURN_IF_ERROR(file->Check());
  switch (options.format) {
    case ReportFormat::kJson:
      return HashesJson(*file, options.full, hashes);
    case ReportFormat::kCsv:
      return Table(*file, hashes).Csv();
    case ReportFormat::kText:
      break;
  }
  return StrCat("header (xxh3-128)  ", file->model_ref().header_hash, "\ntensors (xxh3-64 of ",
                options.full ? "all bytes" : "four pages each", ")\n", Table(*file, hashes).Text(),
                "total (xxh3-128)   ", TotalHash(*file, hashes), "\n");
}

}  // namespace infer
