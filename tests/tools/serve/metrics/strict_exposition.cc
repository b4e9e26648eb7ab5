// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/serve/metrics/strict_exposition.h"

#include <cmath>
#include <limits>
#include <regex>
#include <set>
#include <vector>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer::metrics {
namespace {

const std::regex kHeadLine(R"(# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+))");
const std::regex kSampleLine(
    R"(([a-zA-Z_:][a-zA-Z0-9_:]*)(\{(.*)\})? ([0-9eE.+-]+|\+Inf|-Inf|NaN))");
const std::regex kLabel(R"re(([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\\\|\\"|\\n)*)"(,|$))re");

struct Bucket {
  double le;
  double count;
};

class Reader {
 public:
  absl::Status Line(const std::string& line) {
    std::smatch match;
    if (std::regex_match(line, match, kHeadLine)) return Head(match[1], match[2], match[3]);
    if (std::regex_match(line, match, kSampleLine)) {
      return Sample(match[1], match[3], match[2], match[4]);
    }
    return Refuse("not a sample, HELP or TYPE: " + line);
  }

  absl::StatusOr<Samples> Finish() {
    RETURN_IF_ERROR(EndMetric());
    return samples_;
  }

 private:
  static absl::Status Refuse(const std::string& why) { return absl::InvalidArgumentError(why); }

  absl::Status Head(const std::string& kind, const std::string& name, const std::string& rest) {
    if (kind == "HELP") {
      RETURN_IF_ERROR(EndMetric());
      if (!seen_.insert(name).second) return Refuse("two HELP lines of " + name);
      name_ = name;
      type_.clear();
      return absl::OkStatus();
    }
    if (name != name_ || !type_.empty()) return Refuse("TYPE does not follow HELP of " + name);
    if (rest != "counter" && rest != "gauge" && rest != "histogram") return Refuse("type " + rest);
    if (rest == "counter" && !name.ends_with("_total")) return Refuse("counter " + name);
    type_ = rest;
    return absl::OkStatus();
  }

  absl::Status Sample(const std::string& name, const std::string& labels, const std::string& braces,
                      const std::string& value_text) {
    if (type_.empty()) return Refuse("a sample before its TYPE: " + name);
    const double value =
        value_text == "+Inf" ? std::numeric_limits<double>::infinity() : std::stod(value_text);
    std::string le;
    std::string rest = labels;
    std::smatch match;
    std::set<std::string> names;
    while (!rest.empty()) {
      if (!std::regex_search(rest, match, kLabel, std::regex_constants::match_continuous)) {
        return Refuse("labels " + labels);
      }
      if (!names.insert(match[1]).second) return Refuse("a label twice: " + labels);
      if (match[1] == "le") le = match[2];
      rest = match.suffix();
    }
    if (!samples_.emplace(name + braces, value).second) return Refuse("twice: " + name + braces);
    if (type_ == "counter" && !(value >= 0)) return Refuse("a counter below zero: " + name);
    if (type_ != "histogram") return name == name_ ? absl::OkStatus() : Refuse("stray " + name);
    if (name == name_ + "_bucket" && !le.empty()) {
      const double bound = le == "+Inf" ? std::numeric_limits<double>::infinity() : std::stod(le);
      buckets_.push_back({bound, value});
      return absl::OkStatus();
    }
    if (name == name_ + "_count") {
      count_ = value;
      return absl::OkStatus();
    }
    return name == name_ + "_sum" ? absl::OkStatus() : Refuse("stray " + name);
  }

  absl::Status EndMetric() {
    if (type_ == "histogram") {
      if (buckets_.empty() || !std::isinf(buckets_.back().le)) return Refuse(name_ + ": no +Inf");
      for (size_t i = 1; i < buckets_.size(); ++i) {
        const bool ascends = buckets_[i - 1].le < buckets_[i].le;
        if (!ascends || buckets_[i - 1].count > buckets_[i].count) return Refuse(name_ + " order");
      }
      if (buckets_.back().count != count_) return Refuse(name_ + ": count and +Inf differ");
    }
    buckets_.clear();
    count_ = -1;
    return absl::OkStatus();
  }

  Samples samples_;
  std::set<std::string> seen_;
  std::string name_;
  std::string type_;
  std::vector<Bucket> buckets_;
  double count_ = -1;
};

}  // namespace

absl::StatusOr<Samples> ReadStrictly(std::string_view text) {
  Reader reader;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    if (end == text.npos) return absl::InvalidArgumentError("the last line has no newline");
    RETURN_IF_ERROR(reader.Line(std::string(text.substr(0, end))));
    text.remove_prefix(end + 1);
  }
  return reader.Finish();
}

}  // namespace infer::metrics
