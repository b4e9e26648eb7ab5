// SPDX-License-Identifier: Apache-2.0
#include "tools/viz/viz_options.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "absl/strings/str_split.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "passes/node_facts.h"
#include "tools/api/bundled_model.h"
#include "tools/cli/exit_code.h"
#include "tools/diff/diff_flags.h"
#include "tools/report/quantity_text.h"

namespace infer {
namespace {

const std::vector<std::string> kFormats = {"text", "html", "dot", "svg", "json"};

std::set<int64_t> LayersOf(const Program& program) {
  std::set<int64_t> layers;
  for (const Regime& regime : program.regimes) {
    for (const Node* node : regime.graph.nodes()) {
      if (std::optional<int64_t> layer = LayerOf(node->scope())) layers.insert(*layer);
    }
  }
  return layers;
}

std::optional<int64_t> ParseNumber(std::string_view text) {
  uint32_t number = 0;
  const char* end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

// Parses "3" or "0-3".
std::optional<Range> ParseRange(std::string_view text) {
  size_t dash = text.find('-');
  std::optional<int64_t> first = ParseNumber(text.substr(0, dash));
  std::optional<int64_t> last =
      dash == std::string_view::npos ? first : ParseNumber(text.substr(dash + 1));
  if (!first || !last || *first > *last) return std::nullopt;
  return Range{*first, *last};
}

// --open needs a page in a file.
absl::Status CompleteOpen(const Flags& flags, VizOptions* options) {
  if (!options->open) return absl::OkStatus();
  if (!flags.Given("--format")) options->format = "html";
  if (options->output != "-") return absl::OkStatus();
  if (flags.Given("--output") || options->program == "-") {
    return UsageError("--open needs a file for the page: -o FILE");
  }
  options->finds_place = true;
  return absl::OkStatus();
}

absl::StatusOr<std::string> FormatOfSuffix(const VizOptions& options, const std::string& suffix) {
  if (suffix == ".txt") return "text";
  if (std::ranges::find(kFormats, suffix.substr(1)) != kFormats.end()) return suffix.substr(1);
  return UsageError(StrCat("-o ", options.output, ": the suffix decides the format, and ", suffix,
                           " is none; use .html, .svg, .dot, .json or .txt, or --format"));
}

}  // namespace

bool IsModelFile(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  std::ifstream file(path, std::ios::binary);
  char magic[4] = {};
  file.read(magic, sizeof(magic));
  return std::string_view(magic, sizeof(magic)) == "GGUF";
}

void RegisterFlags(Flags& flags, VizOptions* options) {
  flags.Positional("FILE", &options->program,
                   "a stored program, written by infer-compile -o, or a GGUF model to compile; "
                   "without one, the bundled model");
  RegisterModelFlags(flags, &options->model);
  RegisterPolicy(flags, &options->model);
  RegisterCallSizes(flags, &options->model);
  flags.Section("Output");
  flags.Text("-o,--output", &options->output, "FILE", "output file; - is stdout");
  flags
      .Choice(
          "--format", &options->format, kFormats,
          "text: a tree for the terminal; html: a self-contained page; dot, svg: a drawing of a "
          "layer; json: everything")
      .Default("by the suffix of -o, else text");
  flags.Bool("--open", &options->open,
             "show the page in a browser; without -o it is written beside the program, or in the "
             "current folder if that is not possible and for the bundled model");
  flags.Text("--layers", &options->layers, "LIST", "layers to show, such as 3, 0-3 or 0,5")
      .Default("equal ones folded; in drawings, one of the most common kind");
  flags
      .Int("--tokens", &options->tokens, "N",
           "tokens in the call; selects the regime of drawings and estimates")
      .Min(1);
  flags.Section("Page and JSON");
  flags.Text("--profile", &options->profile, "FILE",
             "profile of the program, written by infer-run --profile");
  flags.Text("--vs", &options->vs, "FILE", "a second stored program, to compare with");
  flags
      .Text("--vs-profile", &options->vs_profile, "FILE",
            "a profile of the second program; without --vs, another one of the same program")
      .Default("none");
  flags.Text("--pass-log", &options->pass_log, "FILE",
             "pass log written by infer-compile --pass-log: the graphs before and after each pass");
  Flags& diff = flags.Mode("diff", "Compare two stored programs, as infer-compile --diff does.");
  diff.PositionalList("PROGRAM", &options->programs, "the two programs");
  RegisterFailOn(diff, &options->fail_on);
  flags.Example("infer-viz --open", "Look at the bundled model in the browser.");
  flags.Example("infer-viz model.gguf --open", "Compile a model and look at it in the browser.");
  flags.Example("infer-viz model.infer.pb", "What runs where?");
  flags.Example("infer-viz model.infer.pb --profile p.pb -o model.html",
                "The same with times, as a page to click through.");
  flags.Example("infer-viz model.infer.pb --layers 3 -o layer.svg", "A layer for a paper.");
  flags.Example("infer-viz diff a.pb b.pb --fail-on placement", "Did anything move?");
}

absl::Status CompleteOptions(const Flags& flags, VizOptions* options) {
  if (flags.mode() == "diff") {
    if (options->format != "text" && options->format != "json") {
      return UsageError(
          StrCat("infer-viz diff --format ", options->format, ": a comparison is text or json"));
    }
    if (options->open) return UsageError("--open shows a page; a comparison is text or json");
    return CheckDiffArguments("infer-viz diff", options->programs, options->fail_on);
  }
  if (options->program.empty()) options->program = options->model.model;
  options->bundled = options->program.empty();
  if (options->bundled) {
    ASSIGN_OR_RETURN(options->program, FindBundledModel());
  }
  if (IsModelFile(options->program)) {
    if (!options->model.model.empty() && options->model.model != options->program) {
      return UsageError(StrCat("--model: ", options->program, " is a model already"));
    }
    RETURN_IF_ERROR(CompleteModelFlags(&options->model));
  } else {
    RETURN_IF_ERROR(RefuseCompileFlags(flags));
  }
  RETURN_IF_ERROR(CompleteOpen(flags, options));
  if (!flags.Given("--format") && options->output != "-") {
    std::string suffix = std::filesystem::path(options->output).extension().string();
    if (!suffix.empty()) {
      ASSIGN_OR_RETURN(options->format, FormatOfSuffix(*options, suffix));
    }
  }
  if (options->open && options->format != "html") {
    return UsageError(StrCat("--open shows a page, not --format ", options->format));
  }
  bool takes_more = options->format == "html" || options->format == "json";
  for (const auto& [flag, value] :
       {std::pair("--profile", options->profile), std::pair("--vs", options->vs),
        std::pair("--vs-profile", options->vs_profile),
        std::pair("--pass-log", options->pass_log)}) {
    if (value.empty() || takes_more) continue;
    return UsageError(StrCat(flag, " is for --format html and json, not for ", options->format));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<int64_t>> ParseLayers(const std::string& text, const Program& program) {
  std::set<int64_t> found = LayersOf(program), layers;
  if (text.empty()) return std::vector<int64_t>();
  for (absl::string_view part : absl::StrSplit(text, ',')) {
    std::optional<Range> range = ParseRange(ToStd(part));
    if (!range) {
      return UsageError(StrCat("--layers ", text, ": ", ToStd(part),
                               " is not a layer; expected a list such as 3, 0-3 or 0,5"));
    }
    for (int64_t layer : {range->min, range->max}) {
      if (found.contains(layer)) continue;
      std::vector<int64_t> all(found.begin(), found.end());
      return UsageError(StrCat("--layers ", text, ": the program has no layer ", layer, "; it has ",
                               LayersText(all)));
    }
    for (int64_t layer = range->min; layer <= range->max; ++layer) layers.insert(layer);
  }
  return std::vector<int64_t>(layers.begin(), layers.end());
}

}  // namespace infer
