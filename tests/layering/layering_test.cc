// SPDX-License-Identifier: Apache-2.0
// Reads the #include lines of the sources and fails on one that the folder rules forbid.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tests/layering/folder_circles.h"
#include "tests/layering/include_lines.h"

namespace infer {
namespace {

struct Rule {
  std::string_view subject;  // prefix of a path from the root; the longest match counts
  std::vector<std::string_view> allowed;  // prefixes
};

// What lies below the tools, and the library that they all may use.
const std::string_view kBelowTools[] = {"ir/",       "frontends/", "passes/",    "runtime/",
                                        "backends/", "shaders/",   "tools/api/", "infer/"};
// The folders that several tools share. A tool sees these and, apart from the exceptions in its
// rule, no other tool.
const std::string_view kSharedByTools[] = {"tools/cli/",    "tools/flags/", "tools/passes/",
                                           "tools/report/", "tools/synth/", "tools/tokenize/"};

// The rule of a folder that tools share: itself, `others`, and what lies below.
Rule Shared(std::string_view folder, std::vector<std::string_view> others = {}) {
  others.push_back(folder);
  others.insert(others.end(), std::begin(kBelowTools), std::end(kBelowTools));
  return {folder, others};
}

// The rule of one tool's folder: that of a shared one that sees all the shared ones.
Rule Tool(std::string_view folder, std::vector<std::string_view> others = {}) {
  others.insert(others.end(), std::begin(kSharedByTools), std::end(kSharedByTools));
  return Shared(folder, others);
}

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
    {"frontends/gguf/", {"ir/", "frontends/gguf/"}},
    {"frontends/tokenizer/", {"ir/", "frontends/gguf/", "frontends/tokenizer/"}},
    {"passes/", {"ir/", "passes/"}},
    {"runtime/", {"ir/", "runtime/"}},
    // A simpler target never needs a faster one.
    {"backends/", {"ir/", "runtime/", "backends/"}},
    {"backends/formats/", {"ir/", "runtime/half.h", "backends/formats/"}},
    {"backends/cpu/", {"ir/", "runtime/", "backends/cpu/"}},
    {"backends/scalar/",
     {"ir/", "runtime/", "backends/cpu/", "backends/formats/", "backends/scalar/"}},
    {"backends/simd/",
     {"ir/", "runtime/", "backends/cpu/", "backends/formats/", "backends/scalar/",
      "backends/simd/"}},
    // What is compiled for each level, from the bottom to the top; none of it sees the runtime.
    {"backends/simd/isa/", {"ir/", "backends/simd/isa/"}},
    {"backends/simd/vector/",
     {"ir/", "backends/formats/", "backends/simd/isa/", "backends/simd/vector/"}},
    {"backends/simd/rows/",
     {"ir/", "backends/formats/", "backends/simd/isa/", "backends/simd/vector/",
      "backends/simd/rows/"}},
    {"backends/simd/panels/",
     {"ir/", "backends/formats/", "backends/simd/isa/", "backends/simd/vector/",
      "backends/simd/rows/", "backends/simd/panels/"}},
    {"backends/simd/amx/",
     {"ir/", "backends/formats/", "backends/simd/isa/", "backends/simd/vector/",
      "backends/simd/rows/", "backends/simd/panels/", "backends/simd/amx/"}},
    {"backends/simd/i8mm/",
     {"ir/", "backends/formats/", "backends/simd/isa/", "backends/simd/vector/",
      "backends/simd/rows/", "backends/simd/panels/", "backends/simd/i8mm/"}},
    {"backends/simd/levels/",
     {"ir/", "backends/simd/isa/", "backends/simd/vector/", "backends/simd/rows/",
      "backends/simd/i8mm/", "backends/simd/levels/"}},
    {"backends/parallel/",
     {"ir/", "runtime/", "backends/cpu/", "backends/scalar/", "backends/simd/",
      "backends/parallel/"}},
    {"backends/metal/",
     {"ir/", "runtime/", "backends/formats/", "backends/scalar/", "backends/metal/", "shaders/"}},
    {"backends/cuda/",
     {"ir/", "runtime/", "backends/formats/", "backends/scalar/", "backends/cuda/"}},
    // The plain version of its primitives belongs to the tests.
    {"backends/cuda/kernels/", {"backends/cuda/kernels/", "tests/cuda_emulation/"}},
    {"backends/ranks/", {"ir/", "runtime/", "backends/ranks/"}},
    {"backends/test/", {"ir/", "runtime/", "backends/cpu/", "backends/scalar/", "backends/test/"}},
    // The dispatcher and the main files of the tools: they see every tool.
    {"tools/",
     {"ir/", "frontends/", "passes/", "runtime/", "backends/", "shaders/", "tools/", "infer/"}},
    // The library joins everything and sees no tool.
    Shared("tools/api/", {"tools/report/"}),
    Shared("tools/cli/"),
    // As a program of someone else sees the library.
    {"tools/python/", {"infer/", "tools/python/"}},
    Shared("tools/synth/"),
    Shared("tools/tokenize/"),
    {"tools/report/", {"ir/", "frontends/", "passes/", "runtime/", "backends/", "tools/report/"}},
    Shared("tools/prompt/", {"tools/cli/"}),
    Shared("tools/passes/", {"tools/cli/", "tools/report/"}),
    Shared("tools/flags/", {"tools/cli/", "tools/passes/", "tools/report/"}),
    Tool("tools/bench/", {"tools/devices/", "tools/profile/"}),
    Tool("tools/bench/calibrate/", {"tools/bench/", "tools/devices/"}),
    Tool("tools/bench/dispatch/"),
    Tool("tools/bench/grammar/"),
    Tool("tools/bench/sampling/"),
    {"tools/bench/serve/",
     {"ir/base/", "runtime/random.h", "tools/bench/", "tools/cli/", "tools/bench/serve/"}},
    Tool("tools/compile/", {"tools/diff/"}),
    Tool("tools/devices/"),
    Tool("tools/diff/"),
    Tool("tools/embed/"),
    Tool("tools/eval/"),
    Tool("tools/explain/"),
    Tool("tools/gguf_inspect/"),
    Tool("tools/opt/"),
    Tool("tools/policy/"),
    Tool("tools/profile/"),
    Tool("tools/run/", {"tools/profile/", "tools/prompt/", "tools/trace/", "tools/verify/"}),
    Tool("tools/serve/", {"tools/devices/", "tools/viz/"}),
    Shared("tools/serve/api/", {"tools/serve/http/"}),
    {"tools/serve/http/", {"ir/base/", "tools/serve/http/"}},
    {"tools/serve/page/", {"tools/serve/page/"}},
    {"tools/serve/metrics/",
     {"ir/base/", "frontends/tokenizer/utf8.h", "runtime/serving/", "tools/serve/metrics/"}},
    Tool("tools/trace/"),
    Tool("tools/verify/"),
    Tool("tools/viz/", {"tools/diff/", "tools/profile/"}),
};
// Parts whose subfolders have a rule each; a new subfolder needs its own.
const std::string_view kPartsWithRuledSubfolders[] = {"ir/", "backends/", "tools/"};

// Which files may include headers of this kind, wherever their folder may look otherwise.
const Rule kHeaders[] = {
    {"mpi.h", {"runtime/mpi/mpi_module.cc"}},
    {"tbb/", {"backends/parallel/", "tools/api/worker_pool.cc"}},
    {"oneapi/", {"backends/parallel/", "tools/api/worker_pool.cc"}},
    // A model family is known by its record alone.
    {"frontends/llama/", {"frontends/llama/", "frontends/families.cc"}},
    {"frontends/qwen2/", {"frontends/qwen2/", "frontends/families.cc"}},
    {"frontends/qwen3/", {"frontends/qwen3/", "frontends/families.cc"}},
    // The library of the server's sockets, in the few files that are slow to compile for it, and of
    // the load generator's responses.
    {"boost/",
     {"tools/bench/serve/response_reader.cc", "tools/serve/http/io_loop.cc",
      "tools/serve/http/listener.cc", "tools/serve/http/request_parser.cc",
      "tools/serve/http/stream.cc"}},
    {"openssl/", {"tools/serve/http/"}},
    {"Metal/", {"backends/metal/"}},
    {"MetalKit/", {"backends/metal/"}},
    {"Foundation/", {"backends/metal/"}},
    {"QuartzCore/", {"backends/metal/"}},
};
// Headers that show generated protobuf classes, and the files that may see those: the ones that
// (de)serialise.
const std::string_view kProtoHeaders[] = {
    "ir/proto/graph_proto.h", "ir/policy/policy_proto.h", "ir/proto/serialize_kernel_choices.h",
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

// Whether `file` lies in a subfolder and only the rule of the whole part was found for it.
bool IsUnruledSubfolder(const Rule& rule, std::string_view file) {
  return std::ranges::count(kPartsWithRuledSubfolders, rule.subject) > 0 &&
         file.substr(rule.subject.size()).find('/') != file.npos;
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
  if (folder == nullptr || IsUnruledSubfolder(*folder, file)) {
    return "no rule for this folder: add one to kFolders";
  }
  return AnyPrefix(folder->allowed, header) ? "" : "the folder rules do not allow it";
}

TEST(Layering, EveryIncludeFollowsTheRules) {
  const std::vector<SourceFile> files = ReadSources(INFER_SOURCE_DIR, kScanned);
  for (const SourceFile& file : files) {
    for (const std::string& header : file.includes) {
      EXPECT_EQ(Violation(file.path, header), "") << file.path << " includes " << header;
    }
  }
  EXPECT_GT(files.size(), 500u) << "few sources found under " << INFER_SOURCE_DIR;
}

TEST(Layering, NoFoldersIncludeEachOther) {
  std::vector<std::string_view> folders(std::begin(kScanned), std::end(kScanned));
  folders.push_back("shaders");
  const FolderGraph graph = FolderGraphOf(ReadSources(INFER_SOURCE_DIR, folders));
  EXPECT_GT(graph.size(), 30u) << "few folders found under " << INFER_SOURCE_DIR;
  for (const std::vector<std::string>& circle : Circles(graph)) {
    ADD_FAILURE() << "these folders include each other:\n" << LinesOf(graph, circle);
  }
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
           Case{"tools/serve/http/connection.h", "boost/asio/io_context.hpp"},
           Case{"tools/serve/http/connection.cc", "runtime/session.h"},
           Case{"tools/run/runner.cc", "openssl/ssl.h"},
           Case{"ir/graph/graph.cc", "../passes/pass.h"},
           Case{"ir/graph/graph.cc", "./../passes/pass.h"},
           Case{"viewer/page.cc", "ir/graph/graph.h"},
           Case{"frontends/gguf/reader.cc", "frontends/qwen3/lower.h"},
           Case{"frontends/tokenizer/tokenizer.cc", "frontends/qwen3/lower.h"},
           Case{"backends/newest/kernels.cc", "ir/graph/graph.h"},
           Case{"backends/cpu/cpu_segment.cc", "backends/parallel/team_segment.h"},
           Case{"backends/scalar/add.cc", "backends/backends.h"},
           Case{"backends/simd/isa/vec.h", "backends/simd/levels/levels.h"},
           Case{"backends/simd/vector/norm.cc", "backends/simd/rows/product.h"},
           Case{"backends/simd/i8mm/attention.cc", "runtime/kernel.h"},
           Case{"backends/metal/plan.cc", "backends/parallel/kernels.h"},
           Case{"tools/newest/main.cc", "ir/graph/graph.h"},
           Case{"tools/api/infer.cc", "tools/run/runner.h"},
           Case{"tools/report/text_table.cc", "tools/api/model_file.h"},
           Case{"tools/cli/flags.cc", "tools/report/text_table.h"},
           Case{"tools/report/text_table.cc", "tools/viz/svg.h"},
           Case{"tools/diff/diff.cc", "tools/viz/svg.h"},
           Case{"tools/eval/perplexity.cc", "tools/run/runner.h"},
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
           Case{"tools/serve/http/stream.cc", "boost/asio/ssl.hpp"},
           Case{"ir/proto/serialize_program.cc", "ir/proto/graph.pb.h"},
           Case{"ir/policy/policy_text.cc", "ir/policy/policy.pb.h"},
           Case{"tools/run.cc", "passes/pipeline.h"},
           Case{"backends/backends.cc", "backends/parallel/kernels.h"},
           Case{"backends/simd/linear.cc", "backends/simd/levels/levels.h"},
           Case{"backends/simd/rows/product.h", "backends/simd/isa/vec.h"},
           Case{"tools/run.cc", "tools/api/model_file.h"},
           Case{"tools/api/api.cc", "infer/infer.h"},
           Case{"tools/api/api.cc", "runtime/session.h"},
           Case{"tools/run/runner.cc", "infer/infer.h"},
           Case{"tools/run/runner.cc", "tools/api/load_session.h"},
           Case{"tools/run/runner.cc", "tools/trace/trace_file.h"},
           Case{"tools/viz/viz_json.cc", "tools/report/program_view.h"},
           Case{"tools/infer_run.cc", "tools/run/runner.h"},
           Case{"ir/graph/graph.cc", "absl/status/status.h"},
           Case{"ir/graph/graph.cc", "vector"},
       }) {
    EXPECT_EQ(Violation(file, header), "") << file << " includes " << header;
  }
}

}  // namespace
}  // namespace infer
