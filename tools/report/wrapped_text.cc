// SPDX-License-Identifier: Apache-2.0
#include "tools/report/wrapped_text.h"

#include <atomic>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"
#include "ir/base/strings.h"
#include "tools/report/quantity_text.h"

namespace infer {
namespace {

std::atomic<size_t> g_report_columns{100};

}  // namespace

size_t ReportColumns() { return g_report_columns; }
void SetReportColumns(size_t columns) { g_report_columns = columns; }

void AppendWrapped(std::string* out, std::string_view label, size_t margin, std::string_view text) {
  std::string line(label);
  if (!line.empty() && !text.empty() && DisplayColumns(line) >= margin) line += "  ";
  line = PadTo(std::move(line), margin);
  bool begins = true;
  for (absl::string_view word : absl::StrSplit(ToAbsl(text), ' ')) {
    if (begins && word.empty()) continue;
    size_t columns = DisplayColumns(line) + (begins ? 0 : 1) + DisplayColumns(ToStd(word));
    if (!begins && columns > ReportColumns()) {
      StrAppend(out, ToStd(absl::StripTrailingAsciiWhitespace(line)), "\n");
      line.assign(margin, ' ');
      begins = true;
      if (word.empty()) continue;
    }
    StrAppend(&line, begins ? "" : " ", ToStd(word));
    begins = false;
  }
  StrAppend(out, ToStd(absl::StripTrailingAsciiWhitespace(line)), "\n");
}

}  // namespace infer
