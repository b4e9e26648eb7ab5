// SPDX-License-Identifier: Apache-2.0
#include "tools/profile/profile_text.h"

#include <algorithm>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_format.h"
#include "ir/base/strings.h"
#include "tools/profile/profile_sums.h"
#include "tools/report/text_table.h"

namespace infer {
namespace {

std::string Us(double ns) { return absl::StrFormat("%.2f", ns / 1e3); }
std::string Ms(double ns) { return absl::StrFormat("%.3f", ns / 1e6); }
std::string Percent(double part, double whole) {
  return absl::StrFormat("%.1f %%", whole > 0 ? 100 * part / whole : 0.0);
}

// Escapes names, which come from a file and must not reach a terminal unchanged.
std::string Shown(std::string_view name) { return absl::Utf8SafeCHexEscape(ToAbsl(name)); }

std::string Calls(int64_t calls) { return StrCat(calls, calls == 1 ? " call" : " calls"); }

std::string Tokens(int64_t min, int64_t max) {
  return min == max ? StrCat(min) : StrCat(min, "..", max);
}

// Appends share, wait, imbalance, estimate, measurement and ratio, the last columns of every table.
void AppendFigures(const NodeTiming& timing, const CallSums& sums, int threads,
                   std::vector<std::string>* row) {
  const double total = static_cast<double>(timing.total_ns);
  const double mean = timing.n > 0 ? total / static_cast<double>(timing.n) : 0;
  row->push_back(Percent(total, static_cast<double>(sums.steps_ns)));
  row->push_back(Us(static_cast<double>(timing.p50_ns)));
  row->push_back(Us(static_cast<double>(timing.p95_ns)));
  row->push_back(Percent(timing.wait_share(), 1));
  row->push_back(absl::StrFormat("%.2f", timing.imbalance(threads)));
  row->push_back(timing.estimate_ns > 0 ? Us(timing.estimate_ns) : "-");
  row->push_back(Us(mean));
  row->push_back(timing.estimate_ns > 0 && mean > 0
                     ? absl::StrFormat("%.2f", timing.estimate_ns / mean)
                     : "-");
}

std::string NodeTable(const std::vector<ProfileLine>& lines, const CallSums& sums, int threads,
                      int64_t shown) {
  TextTable table("lllllrrrrrrrrr");
  table.Add({"", "node", "op", "target", "kernel", "n", "share", "mean p50 us", "worst p95 us",
             "wait", "imbalance", "estimate us", "measured us", "ratio"});
  for (int64_t i = 0; i < shown; ++i) {
    const ProfileLine& line = lines[static_cast<size_t>(i)];
    std::vector<std::string> row = {
        "",
        Shown(line.node) + (line.nodes > 1 ? StrCat(" x ", line.nodes) : ""),
        Shown(line.op),
        Shown(line.target),
        Shown(line.kernel),
        StrCat(line.timing.n)};
    AppendFigures(line.timing, sums, threads, &row);
    table.Add(std::move(row));
  }
  std::string text = table.Text();
  if (shown < std::ssize(lines)) {
    StrAppend(&text, "  and ", std::ssize(lines) - shown, " more lines\n");
  }
  return text;
}

std::string OpTable(const std::vector<ProfileLine>& lines, const CallSums& sums, int threads) {
  TextTable table("lllrrrrrrrrrr");
  table.Add({"", "op", "target", "nodes", "n", "share", "mean p50 us", "worst p95 us", "wait",
             "imbalance", "estimate us", "measured us", "ratio"});
  for (const ProfileLine& line : lines) {
    std::vector<std::string> row = {"", Shown(line.op), Shown(line.target), StrCat(line.nodes),
                                    StrCat(line.timing.n)};
    AppendFigures(line.timing, sums, threads, &row);
    table.Add(std::move(row));
  }
  return table.Text();
}

std::string SumsLine(const CallSums& sums) {
  std::string text =
      StrCat(Ms(static_cast<double>(sums.wall_ns)), " ms, steps ",
             Ms(static_cast<double>(sums.steps_ns)), " ms (", Percent(sums.coverage(), 1),
             "), waiting ", Percent(sums.wait_share(), 1), " of the threads' time");
  if (sums.estimate_ns > 0) {
    StrAppend(&text, ", estimate of the calls ", Ms(sums.estimate_ns), " ms (",
              absl::StrFormat("%.2f", sums.ratio()), " of the measurement)");
  }
  return text;
}

// Returns "one call: mean 0.012 ms, median 0.011 ms; estimate 0.010 ms, 0.80 of the mean, 0.87 of
// the median", without the parts that are missing.
std::string OneCallLine(const OneCall& call) {
  std::string text = StrCat("one call: mean ", Ms(call.mean_ns), " ms");
  if (call.median_ns > 0) StrAppend(&text, ", median ", Ms(call.median_ns), " ms");
  if (call.estimate_ns == 0) return text;
  absl::StrAppendFormat(&text, "; estimate %s ms, %.2f of the mean", Ms(call.estimate_ns),
                        call.over_mean());
  if (call.median_ns > 0) absl::StrAppendFormat(&text, ", %.2f of the median", call.over_median());
  return text;
}

std::string GroupText(const Profile& profile, const ProfileRegime& regime, const CallGroup& group,
                      int64_t lines) {
  const CallSums sums = SumsOf(group);
  const std::vector<ProfileLine> by_node = LinesByNode(regime, group);
  const int64_t count = std::ssize(by_node);
  return StrCat(
      "\n", Calls(group.calls), " with T = ", Tokens(group.min_tokens, group.max_tokens),
      ", S = ", group.MeanSymbols().s, " on average: ", SumsLine(sums), "\n",
      OneCallLine(OneCallOf(group)), "\n",
      NodeTable(by_node, sums, profile.threads, lines == 0 ? count : std::min(lines, count)), "\n",
      OpTable(LinesByOp(regime, group), sums, profile.threads));
}

}  // namespace

std::string ProfileText(const Profile& profile, int64_t lines) {
  std::string text = StrCat(
      "profile  ", profile.model.files.empty() ? "" : Shown(profile.model.files[0].name),
      ", policy ", Shown(profile.policy), ", ", profile.threads, " threads",
      profile.threads_by.empty() ? "" : " by ", Shown(profile.threads_by),
      profile.rank_threads.empty() ? "" : StrCat(" of ", profile.rank_threads.size(), " ranks"),
      ", ", profile.machine.empty() ? "no estimates" : "estimates for a ", Shown(profile.machine),
      profile.machine.empty() ? "" : " machine", "\n",
      profile.emulated ? "times of steps on an emulated device say nothing about a GPU\n" : "");
  for (const ProfileRegime& regime : profile.regimes) {
    const CallSums sums = SumsOf(regime);
    StrAppend(&text, "\nregime of T ", regime.min_tokens, "..", regime.max_tokens, ": ",
              Calls(sums.calls), sums.calls == 0 ? "" : ", ", sums.calls == 0 ? "" : SumsLine(sums),
              "\n");
    for (const CallGroup& group : regime.groups) {
      StrAppend(&text, GroupText(profile, regime, group, lines));
    }
  }
  text.pop_back();
  return text;
}

}  // namespace infer
