// SPDX-License-Identifier: Apache-2.0
#include "frontends/grammar/formats.h"

#include <array>
#include <memory>
#include <mutex>
#include <string>

#include "ir/base/strings.h"

namespace infer {
namespace {

// Months of 31, 30 and 28 days, and the 29th of February in leap years. Without the year 0000: RFC
// 3339 has it, but the dates of Python, SQL and others begin with the year 1.
std::string Date() {
  const std::string year = "(\\d{3}[1-9]|\\d\\d[1-9]0|\\d[1-9]00|[1-9]000)";
  const std::string days31 = "(0[13578]|1[02])-(0[1-9]|[12]\\d|3[01])";
  const std::string days30 = "(0[469]|11)-(0[1-9]|[12]\\d|30)";
  const std::string days28 = "02-(0[1-9]|1\\d|2[0-8])";
  const std::string leap =
      "(\\d\\d(0[48]|[2468][048]|[13579][26])|(0[48]|[2468][048]|[13579][26])00)";
  return StrCat("(", year, "-(", days31, "|", days30, "|", days28, ")|", leap, "-02-29)");
}

// Without leap seconds, which are valid at few moments only.
std::string Time() {
  return "([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(\\.\\d+)?([Zz]|[+-]([01]\\d|2[0-3]):[0-5]\\d)";
}

std::string Ipv4() {
  const std::string octet = "(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
  return StrCat(octet, "(\\.", octet, "){3}");
}

// All places and lengths of ::, with the last two groups in the form of IPv4 or not.
std::string Ipv6() {
  const std::string group = "[0-9A-Fa-f]{1,4}";
  const std::string last = StrCat("(", group, ":", group, "|", Ipv4(), ")");
  std::string any = StrCat("(", group, ":){6}", last);
  for (int before = 0; before <= 6; ++before) {
    // `before` groups, ::, and at most 7 - before groups after it.
    const std::string front = before == 0 ? "" : StrCat(group, "(:", group, "){", before - 1, "}");
    for (int after = 0; after <= 5 - before; ++after) {
      StrAppend(&any, "|", front, "::(", group, ":){", after, "}", last);
    }
    StrAppend(&any, "|", front, "::(", group, ")?");
  }
  StrAppend(&any, "|", group, "(:", group, "){6}::");
  return StrCat("(", any, ")");
}

std::string Email() {
  const std::string atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
  const std::string label = "[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?";
  return StrCat(atom, "(\\.", atom, ")*@", label, "(\\.", label, ")*");
}

std::string Uri() {
  const std::string percent = "%[0-9A-Fa-f]{2}";
  const std::string name = StrCat("([A-Za-z0-9._~!$&'()*+,;=-]|", percent, ")");
  const std::string path = StrCat("([A-Za-z0-9._~!$&'()*+,;=:@-]|", percent, ")");
  const std::string tail = StrCat("([A-Za-z0-9._~!$&'()*+,;=:@/?-]|", percent, ")*");
  const std::string host = StrCat("(\\[[0-9A-Fa-f:.]+\\]|", name, "*)");
  const std::string authority = StrCat("((", name, "|:)*@)?", host, "(:\\d*)?");
  const std::string rooted = StrCat("(/", path, "*)*");
  return StrCat("[A-Za-z][A-Za-z0-9+.-]*:(//", authority, rooted, "|/(", path, "+", rooted, ")?|",
                path, "+", rooted, "|)(\\?", tail, ")?(#", tail, ")?");
}

struct Format {
  std::string_view name;
  std::string (*regex)();
};
constexpr std::array kFormats = {
    Format{"date-time", [] { return StrCat(Date(), "[Tt]", Time()); }},
    Format{"date", Date},
    Format{"time", Time},
    Format{"uuid",
           [] { return std::string("[0-9A-Fa-f]{8}-([0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}"); }},
    Format{"email", Email},
    Format{"ipv4", Ipv4},
    Format{"ipv6", Ipv6},
    Format{"uri", Uri},
};

}  // namespace

const PatternDfa* FormatDfa(std::string_view format) {
  static std::array<std::once_flag, kFormats.size()> made;
  static std::array<std::unique_ptr<const PatternDfa>, kFormats.size()> dfas;
  for (size_t i = 0; i < kFormats.size(); ++i) {
    if (kFormats[i].name != format) continue;
    std::call_once(made[i], [i] {
      // The regexes are ours, and formats_test compiles each of them.
      const absl::StatusOr<RegexNode> regex = ParseRegex(StrCat("^(", kFormats[i].regex(), ")$"));
      CompileBudget budget;
      absl::StatusOr<PatternDfa> dfa = PatternDfa::Create(*regex, &budget);
      dfas[i] = std::make_unique<const PatternDfa>(*std::move(dfa));
    });
    return dfas[i].get();
  }
  return nullptr;
}

std::string_view KnownFormats() { return "date-time, date, time, uuid, email, ipv4, ipv6, uri"; }

}  // namespace infer
