// SPDX-License-Identifier: Apache-2.0
#include "tools/viz/pass_texts.h"

#include <charconv>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"
#include "ir/base/json.h"
#include "ir/base/strings.h"
#include "tools/passes/pass_log_key.h"
#include "tools/viz/json_table.h"

namespace infer {
namespace {

// Returns the number after the first `mark`.
std::optional<int64_t> NumberBehind(std::string_view line, std::string_view mark) {
  size_t at = line.find(mark);
  if (at == std::string_view::npos) return std::nullopt;
  uint32_t number = 0;
  const char* begin = line.data() + at + mark.size();
  auto [stop, error] = std::from_chars(begin, line.data() + line.size(), number);
  if (error != std::errc()) return std::nullopt;
  return number;
}

// Returns the layer of a line of a printed graph, from a node's scope or a weight's name.
std::optional<int64_t> LayerOfLine(std::string_view line) {
  if (auto layer = NumberBehind(line, " in \"layer.")) return layer;
  return line.find(" = weight()") == std::string_view::npos ? std::nullopt
                                                            : NumberBehind(line, "%blk.");
}

// Returns the value after the first `mark`, with its %; empty if there is none.
std::string_view ValueBehind(std::string_view line, std::string_view mark) {
  size_t at = line.find(mark);
  if (at == std::string_view::npos) return {};
  std::string_view value = line.substr(at + mark.size());
  return value.substr(0, value.find_first_of(" ,}"));
}

// Selects the lines of a printed graph that belong to certain layers or to none. A line of the plan
// (a step, a slot) belongs to the layer of the node that it names.
class LinePicker {
 public:
  explicit LinePicker(const std::set<int64_t>& layers) : layers_(layers) {}

  bool Keeps(std::string_view line) {
    if (line.empty()) return false;
    std::string_view named = ValueBehind(line, "{node = ");
    if (named.empty()) named = ValueBehind(line, "{value = ");
    if (!named.empty()) return !left_out_.contains(named);
    std::optional<int64_t> layer = LayerOfLine(line);
    if (!layer || layers_.contains(*layer)) return true;
    // Matches all results of the node: "  %a, %b = ...".
    std::string_view results = line.substr(0, line.find(" = "));
    for (absl::string_view value : absl::StrSplit(ToAbsl(results), ',')) {
      left_out_.insert(ToStd(absl::StripAsciiWhitespace(value)));
    }
    return false;
  }

 private:
  const std::set<int64_t>& layers_;
  std::set<std::string_view> left_out_;
};

bool IsPosition(const Json& pass, const char* key, size_t size) {
  return pass.contains(key) && pass[key].is_number_unsigned() && pass[key].get<size_t>() < size;
}

// Works for a file that is not text, too.

// Returns "tiny.gguf (header 0a..) with policy auto and place op=linear=simd, key
// 00f3a8c27d41b690".
std::string KeyText(const Json& key) {
  auto word = [&](const char* field) {
    return key.contains(field) && key[field].is_string() ? key[field].get<std::string>() : "?";
  };
  if (!key.is_object()) return JsonText(key);
  std::string text =
      StrCat(word("model"), " (header ", word("header_hash"), ") with policy ", word("policy"));
  if (key.contains("overrides") && key["overrides"].is_array()) {
    for (const Json& rule : key["overrides"]) {
      StrAppend(&text, " and ", rule.is_string() ? rule.get<std::string>() : JsonText(rule));
    }
  }
  return StrCat(text, ", key ", word("key"));
}

// Returns a PassRecord as in the log, without its time.
Json PassJson(const PassRecord& record) {
  return {{"name", record.name},
          {"regime", record.regime},
          {"nodes_before", record.nodes_before},
          {"nodes_after", record.nodes_after},
          {"changed", record.changed}};
}

}  // namespace

absl::StatusOr<Json> ParsePassLog(const std::string& text, const std::string& where) {
  auto refuse = [&](std::string_view what) {
    return absl::InvalidArgumentError(
        StrCat(where, ": ", what, "; expected a file that infer-compile --pass-log wrote"));
  };
  Json log = ParseJson(text);
  if (!log.is_object()) return refuse("no JSON object");
  if (!log.contains("passes") || !log["passes"].is_array() || !log.contains("graphs") ||
      !log["graphs"].is_array()) {
    return refuse("has no passes and graphs");
  }
  for (const Json& graph : log["graphs"]) {
    if (!graph.is_string()) return refuse("a graph is not text");
  }
  for (const Json& pass : log["passes"]) {
    bool complete = pass.is_object() && pass.contains("name") && pass["name"].is_string() &&
                    pass.contains("ms") && pass["ms"].is_number() &&
                    IsPosition(pass, "before", log["graphs"].size()) &&
                    IsPosition(pass, "after", log["graphs"].size());
    if (!complete) return refuse("a pass lacks its name, time or graphs");
  }
  return log;
}

absl::Status CheckPassLogOf(const Program& program, const std::string& name, const Json& log,
                            const std::string& where) {
  auto refuse = [&](const std::string& is, const std::string& wanted) {
    return absl::InvalidArgumentError(
        StrCat(where, ": is the pass log of another program: it has ", is, ", ", name, " has ",
               wanted, "; write both at once with infer-compile -o PROGRAM --pass-log FILE"));
  };
  if (log.contains("program")) {
    const Json key = PassLogKey(program);
    if (log["program"] != key) return refuse(KeyText(log["program"]), KeyText(key));
  }
  const Json& passes = log["passes"];
  if (passes.size() != program.passes.size()) {
    return refuse(StrCat(passes.size(), " passes"), StrCat(program.passes.size()));
  }
  for (size_t i = 0; i < passes.size(); ++i) {
    const Json wanted = PassJson(program.passes[i]);
    Json is = Json::object();
    for (const auto& [field, value] : wanted.items()) {
      is[field] = passes[i].contains(field) ? passes[i][field] : Json();
    }
    if (is != wanted) {
      return refuse(StrCat("pass ", i + 1, " ", JsonText(is)), JsonText(wanted));
    }
  }
  return absl::OkStatus();
}

Json PassTextsJson(const Json& log, const std::set<int64_t>& layers) {
  JsonTable lines;
  Json graphs = Json::array(), passes = Json::array();
  for (const Json& graph : log["graphs"]) {
    Json positions = Json::array();
    LinePicker picker(layers);
    for (absl::string_view line : absl::StrSplit(graph.get_ref<const std::string&>(), '\n')) {
      if (!picker.Keeps(ToStd(line))) continue;
      positions.push_back(lines.Add(std::string(line)));
    }
    graphs.push_back(std::move(positions));
  }
  for (const Json& pass : log["passes"]) {
    passes.push_back({{"name", pass["name"]},
                      {"ms", pass["ms"]},
                      {"before", pass["before"]},
                      {"after", pass["after"]}});
  }
  return {{"layers", layers},
          {"passes", std::move(passes)},
          {"graphs", std::move(graphs)},
          {"lines", lines.Take()}};
}

}  // namespace infer
