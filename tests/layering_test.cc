// SPDX-License-Identifier: Apache-2.0
// Reads the #include lines of the sources and fails on one that the folder rules forbid.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace infer {
namespace {

struct Rule {
  std::string_view subject;  // prefix of a path from the root; the longest match counts
  std::vector<std::string_view> allowed;  // prefixes
};

// Which headers of the project a file in this folder may include.
const Rule kFolders[] = {
    {"ir/base/", {"ir/base/"}},
    {"ir/graph/", {"ir/base/", "ir/graph/"}},
    {"ir/ops/", {"ir/base/", "ir/graph/", "ir/ops/"}},
    {"ir/policy/", {"ir/base/", "ir/graph/", "ir/ops/", "ir/policy/"}},
    {"ir/program/", {"ir/base/", "ir/graph/", "ir/ops/", "ir/policy/", "ir/program/"}},
    {"ir/text/", {"ir/base/", "ir/graph/", "ir/ops/", "ir/policy/", "ir/program/", "ir/text/"}},
    {"ir/verify/",
     {"ir/base/", "ir/graph/", "ir/ops/", "ir/policy/", "ir/program/", "ir/text/", "ir/verify/"}},
    {"ir/proto/", {"ir/"}},
    {"frontends/", {"ir/", "frontends/"}},
    {"passes/", {"ir/", "passes/"}},
    {"runtime/", {"ir/", "runtime/"}},
    {"backends/", {"ir/", "runtime/", "backends/"}},
    {"backends/formats/", {"ir/", "runtime/half.h", "backends/formats/"}},
    // A simpler target never needs a faster one.
    {"backends/scalar/",
     {"ir/", "runtime/", "backends/cpu/", "backends/formats/", "backends/scalar/"}},
    {"backends/simd/",
     {"ir/", "runtime/", "backends/cpu/", "backends/formats/", "backends/scalar/",
      "backends/simd/"}},
    {"backends/metal/", {"ir/", "runtime/", "backends/", "shaders/"}},
    // The library joins everything and sees no tool.
    {"tools/api/",
     {"ir/", "frontends/", "passes/", "runtime/", "backends/", "shaders/", "tools/api/", "infer/"}},
    {"tools/",
     {"ir/", "frontends/", "passes/", "runtime/", "backends/", "shaders/", "tools/", "infer/"}},
};

// Which files may include headers of this kind, wherever their folder may look otherwise.
const Rule kHeaders[] = {
    {"tbb/", {"backends/parallel/", "tools/api/worker_pool.cc"}},
    {"oneapi/", {"backends/parallel/", "tools/api/worker_pool.cc"}},
    // A model family is known by its record alone.
    {"frontends/qwen3/", {"frontends/qwen3/", "frontends/families.cc"}},
    {"Metal/", {"backends/metal/"}},
    {"MetalKit/", {"backends/metal/"}},
    {"Foundation/", {"backends/metal/"}},
    {"QuartzCore/", {"backends/metal/"}},
};
// Headers that show generated protobuf classes, and the files that may see those: the ones that
// (de)serialise.
const std::string_view kProtoHeaders[] = {
    "ir/proto/graph_proto.h", "ir/policy/policy_proto.h", "ir/proto/serialize_offers.h",
    "ir/proto/serialize_placement.h", "ir/proto/serialize_weights.h"};
const std::string_view kProtoFiles[] = {"ir/proto/serialize", "ir/policy/policy_",
                                        "ir/policy/machine_text", "runtime/profile_file"};

const std::string_view kScanned[] = {"ir", "frontends", "passes", "runtime", "backends", "tools"};
const std::string_view kProject[] = {"ir/",    "frontends/", "passes/", "runtime/", "backends/",
                                     "tools/", "tests/",     "infer/",  "shaders/"};

bool AnyPrefix(const auto& prefixes, std::string_view path) {
  return std::ranges::any_of(prefixes, [&](std::string_view p) { return path.starts_with(p); });
}

const Rule* LongestMatch(const auto& rules, std::string_view path) {
  const Rule* best = nullptr;
  for (const Rule& rule : rules) {
    const bool longer = best == nullptr || rule.subject.size() > best->subject.size();
    if (path.starts_with(rule.subject) && longer) best = &rule;
  }
  return best;
}

// Why `file` may not hold the line `#include "header"`; empty if it may.
std::string Violation(std::string_view file, std::string_view header) {
  if (header.ends_with(".pb.h") || std::ranges::count(kProtoHeaders, header) > 0) {
    const bool source = file.ends_with(".cc") && AnyPrefix(kProtoFiles, file);
    const bool may = source || std::ranges::count(kProtoHeaders, file) > 0;
    return may ? "" : "only the files that (de)serialise see generated protobuf headers";
  }
  if (const Rule* rule = LongestMatch(kHeaders, header)) {
    return AnyPrefix(rule->allowed, file) ? "" : "this folder may not use that library";
  }
  if (header.starts_with(".") || header.find("..") != header.npos) {
    return "write the path from the root of the project";
  }
  if (!AnyPrefix(kProject, header)) return "";
  const Rule* folder = LongestMatch(kFolders, file);
  if (folder == nullptr) return "no rule for this folder: add one to kFolders";
  return AnyPrefix(folder->allowed, header) ? "" : "the folder rules do not allow it";
}

std::vector<std::string> IncludesOf(std::istream& source) {
  std::vector<std::string> headers;
  for (std::string line; std::getline(source, line);) {
    std::erase_if(line, [](char c) { return c == ' ' || c == '\t'; });
    if (!line.starts_with("#include") || line.size() < 10) continue;
    const char close = line[8] == '<' ? '>' : '"';
    headers.push_back(line.substr(9, line.find(close, 9) - 9));
  }
  return headers;
}

TEST(Layering, EveryIncludeFollowsTheRules) {
  const std::filesystem::path root = INFER_SOURCE_DIR;
  int files = 0;
  for (std::string_view folder : kScanned) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".h" && extension != ".cc") continue;
      const std::string file = entry.path().lexically_relative(root).generic_string();
      std::ifstream source(entry.path());
      for (const std::string& header : IncludesOf(source)) {
        EXPECT_EQ(Violation(file, header), "") << file << " includes " << header;
      }
      ++files;
    }
  }
  EXPECT_GT(files, 5) << "no sources found under " << root;
}

TEST(Layering, ReadsIncludeLinesOnly) {
  std::istringstream source(
      "#include \"ir/a.h\"\n  #  include <tbb/b.h>\n// #include \"tools/c.h\"\n#include\nint x;\n");
  EXPECT_EQ(IncludesOf(source), (std::vector<std::string>{"ir/a.h", "tbb/b.h"}));
}

struct Case {
  std::string_view file, header;
};

TEST(Layering, RefusesWhatTheRulesForbid) {
  for (const auto& [file, header] : {
           Case{"ir/graph/graph.cc", "passes/pass.h"},
           Case{"ir/graph/graph.cc", "frontends/gguf/reader.h"},
           Case{"passes/place_nodes.cc", "runtime/backend.h"},
           Case{"runtime/executor.cc", "passes/pipeline.h"},
           Case{"runtime/executor.cc", "backends/backends.h"},
           Case{"frontends/qwen3/lower.cc", "runtime/session.h"},
           Case{"backends/cpu/cpu_backend.cc", "passes/pass.h"},
           Case{"backends/formats/dequantize_row.cc", "backends/scalar/ops.h"},
           Case{"backends/scalar/add.cc", "backends/simd/isa/vec.h"},
           Case{"backends/simd/add.cc", "backends/parallel/team.h"},
           Case{"runtime/session.cc", "tools/cli/flags.h"},
           Case{"tools/run.cc", "tests/support/numeric.h"},
           Case{"tools/run.cc", "frontends/qwen3/config.h"},
           Case{"tools/api/engine.cc", "tools/cli/flags.h"},
           Case{"ir/graph/graph.cc", "ir/proto/graph.pb.h"},
           Case{"ir/proto/serialize.h", "ir/proto/graph.pb.h"},
           Case{"passes/policy.cc", "ir/policy/policy.pb.h"},
           Case{"passes/place_nodes.cc", "tbb/parallel_for.h"},
           Case{"runtime/executor.cc", "Metal/Metal.hpp"},
           Case{"ir/graph/graph.cc", "../passes/pass.h"},
           Case{"ir/graph/graph.cc", "./../passes/pass.h"},
           Case{"viewer/page.cc", "ir/graph/graph.h"},
       }) {
    EXPECT_NE(Violation(file, header), "") << file << " includes " << header;
  }
}

TEST(Layering, AllowsWhatTheRulesAllow) {
  for (const auto& [file, header] : {
           Case{"passes/place_nodes.cc", "ir/graph/graph.h"},
           Case{"frontends/qwen3/lower.cc", "frontends/gguf/metadata.h"},
           Case{"backends/scalar/linear.cc", "backends/formats/dequantize_row.h"},
           Case{"backends/simd/add.cc", "runtime/backend.h"},
           Case{"backends/parallel/team.cc", "backends/simd/isa/vec.h"},
           Case{"backends/parallel/team.cc", "tbb/parallel_for.h"},
           Case{"backends/metal/device.cc", "Metal/Metal.hpp"},
           Case{"ir/proto/serialize_program.cc", "ir/proto/graph.pb.h"},
           Case{"ir/policy/policy_text.cc", "ir/policy/policy.pb.h"},
           Case{"tools/run.cc", "passes/pipeline.h"},
           Case{"tools/run.cc", "tools/api/model_file.h"},
           Case{"tools/api/api.cc", "infer/infer.h"},
           Case{"ir/graph/graph.cc", "absl/status/status.h"},
           Case{"ir/graph/graph.cc", "vector"},
       }) {
    EXPECT_EQ(Violation(file, header), "") << file << " includes " << header;
  }
}

}  // namespace
}  // namespace infer
