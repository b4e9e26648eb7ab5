// SPDX-License-Identifier: Apache-2.0
#include "tools/diff/diff_tables.h"

#include <cmath>
#include <string>

#include "ir/base/strings.h"
#include "tools/api/report/quantity_text.h"
#include "tools/api/report/regime_table.h"
#include "tools/api/report/text_table.h"
#include "tools/api/report/wrapped_text.h"

namespace infer {
namespace {

std::string Signed(double difference, std::string (*text)(double)) {
  if (difference == 0) return "=";
  return StrCat(difference < 0 ? "-" : "+", text(std::abs(difference)));
}

void AddEstimate(const CallAt& call, TextTable* table) {
  const bool both = call.a_ns > 0 && call.b_ns > 0;
  table->Add({StrCat("  T ", call.at.t, ", S ", call.at.s), TimeText(call.a_ns),
              TimeText(call.b_ns), both ? Signed(call.b_ns - call.a_ns, TimeText) : "-"});
}

}  // namespace

std::string Shift(const std::string& a, const std::string& b) {
  return a == b ? a : StrCat(a, " -> ", b);
}

std::string RegimesText(const ProgramDiff& diff) {
  TextTable table("lll");
  table.Add({"  T", "barriers", "arena"});
  for (const DiffInterval& at : diff.intervals) {
    const RegimeTotals& a = diff.a.regimes[at.a].totals;
    const RegimeTotals& b = diff.b.regimes[at.b].totals;
    table.Add({StrCat("  ", RangeText(at.tokens)), Shift(StrCat(a.barriers), StrCat(b.barriers)),
               Shift(BytesText(static_cast<double>(a.arena_bytes)),
                     BytesText(static_cast<double>(b.arena_bytes)))});
  }
  std::string text = table.Text();
  for (const DiffInterval& at : diff.intervals) {
    AppendWrapped(
        &text, StrCat("  ", RangeText(at.tokens)), 10,
        Shift(TargetsText(diff.a.regimes[at.a].totals), TargetsText(diff.b.regimes[at.b].totals)));
  }
  return text;
}

std::string EstimatesText(const ProgramDiff& diff) {
  TextTable table("lrrr");
  table.Add({"  estimate of a call", "a", "b", "b - a"});
  for (const DiffInterval& interval : diff.intervals) {
    AddEstimate(interval.least, &table);
    AddEstimate(interval.most, &table);
  }
  return table.Text();
}

std::string MemoryText(const ProgramDiff& diff) {
  TextTable table("lrrr");
  table.Add({"  memory", "a", "b", "b - a"});
  for (const MemoryChange& part : diff.memory) {
    const double a = static_cast<double>(part.a_bytes), b = static_cast<double>(part.b_bytes);
    table.Add({StrCat("  ", part.what), BytesText(a), BytesText(b), Signed(b - a, BytesText)});
  }
  return table.Text();
}

}  // namespace infer
