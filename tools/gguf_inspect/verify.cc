// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include "frontends/gguf/printable.h"
#include "frontends/gguf/reader.h"
#include "ir/base/json.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "tools/gguf_inspect/gguf_inspect.h"
#include "tools/gguf_inspect/nonfinite.h"
#include "tools/gguf_inspect/value_text.h"
#include "tools/report/text_table.h"

namespace infer {
namespace {

struct Findings {
  uint64_t total_bytes = 0;
  uint64_t scanned_bytes = 0;
  size_t scanned_tensors = 0;
  size_t bad_tensors = 0;
  uint64_t bad_values = 0;
  std::string first;  // the first defect, with its place
};

std::string Describe(const GgufFile& file, const WeightInfo& tensor, const NonFinite& found) {
  const uint64_t byte = tensor.offset + found.first_index * Info(tensor.dtype).block_bytes;
  return StrCat(Printable(file.files()[tensor.file].path), ": byte ", byte, ": tensor ",
                Quoted(tensor.name), ": ", ScannedUnit(tensor.dtype), " ", found.first_index,
                " is ", found.first_is_nan ? "NaN" : "infinite", ", expected a finite number");
}

Findings ScanAll(const GgufFile& file, const InspectProgress& progress) {
  Findings findings;
  for (const WeightInfo& tensor : file.tensors()) findings.total_bytes += tensor.bytes;
  uint64_t done_bytes = 0;
  for (const WeightInfo& tensor : file.tensors()) {
    if (CanScan(tensor.dtype)) {
      const NonFinite found = FindNonFinite(tensor.dtype, file.Data(tensor));
      ++findings.scanned_tensors;
      findings.scanned_bytes += tensor.bytes;
      findings.bad_values += found.count;
      if (found.count > 0 && findings.bad_tensors++ == 0) {
        findings.first = Describe(file, tensor, found);
      }
    }
    done_bytes += tensor.bytes;
    if (progress) progress(done_bytes, findings.total_bytes);
  }
  return findings;
}

std::string FindingsText(const GgufFile& file, const Findings& findings) {
  const size_t tensors = file.tensors().size();
  std::string out = StrCat(Printable(file.path()), ": ok\n");
  StrAppend(&out, "  structure     GGUF v", file.version(), ", ", file.metadata().entries().size(),
            " keys, ", tensors, " tensors in ", file.files().size(),
            file.files().size() == 1 ? " file\n" : " files\n");
  StrAppend(&out, "  placement     aligned, inside the file, no overlap\n");
  StrAppend(&out, "  NaN/infinity  none in ", findings.scanned_tensors, " tensors (",
            HumanBytes(findings.scanned_bytes), ")\n");
  if (findings.scanned_tensors < tensors) {
    StrAppend(&out, "  not scanned   ", tensors - findings.scanned_tensors,
              " tensors of other types than f32, f16, bf16, f64 and q8_0\n");
  }
  return out;
}

std::string FindingsJson(const GgufFile& file, const Findings& findings) {
  const Json json = {{"schema_version", 1},
                     {"file", file.path()},
                     {"ok", true},
                     {"version", file.version()},
                     {"files", file.files().size()},
                     {"keys", file.metadata().entries().size()},
                     {"tensors", file.tensors().size()},
                     {"tensors_scanned", findings.scanned_tensors},
                     {"bytes_scanned", findings.scanned_bytes}};
  return JsonText(json, 2) + "\n";
}

std::string FindingsCsv(const GgufFile& file, const Findings& findings) {
  TextTable table("llrr");
  table.Add({"file", "ok", "tensors", "tensors_scanned"});
  table.Add({file.path(), "true", StrCat(file.tensors().size()), StrCat(findings.scanned_tensors)});
  return table.Csv();
}

}  // namespace

absl::StatusOr<std::string> VerifyGguf(const VerifyOptions& options) {
  ASSIGN_OR_RETURN(const std::shared_ptr<const GgufFile> file, GgufFile::Open(options.path));
  const Findings findings = ScanAll(*file, options.progress);
  RETURN_IF_ERROR(file->Check());
  if (findings.bad_tensors > 0) {
    return absl::DataLossError(StrCat(findings.first, " (", findings.bad_values, " such values in ",
                                      findings.bad_tensors,
                                      " tensors); convert or download the model again"));
  }
  switch (options.format) {
    case ReportFormat::kJson:
      return FindingsJson(*file, findings);
    case ReportFormat::kCsv:
      return FindingsCsv(*file, findings);
    case ReportFormat::kText:
      break;
  }
  return FindingsText(*file, findings);
}

}  // namespace infer
