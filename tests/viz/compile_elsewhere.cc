// SPDX-License-Identifier: Apache-2.0
//
// compile_elsewhere MODEL POLICY PROGRAM: what infer-compile --skip smooth-placement would write on
// a machine that this build has no kernels for. Its GPU works in the cpu's memory and runs the
// operations below, some for certain numbers of rows only; its simd kernels for projections take
// few rows.
//
// compile_elsewhere --copies PROGRAM: a Program that copies values to a GPU with a memory of its
// own and back, made by hand.
#include <fstream>
#include <iostream>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backends/backends.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/proto/serialize.h"
#include "tests/support/sample_program.h"
#include "tools/api/compile_model.h"
#include "tools/api/model_file.h"

namespace infer {
namespace {

constexpr int64_t kAny = std::numeric_limits<int64_t>::max();

struct GpuKernel {
  std::string_view name;
  std::string_view op;
  int64_t min_rows = 1;
  int64_t max_rows = kAny;
};

// Norms run whole for 4 to 16 rows, in parts up to 100, and not at all beyond.
constexpr GpuKernel kGpuKernels[] = {
    {"linear_metal", "linear", 1, 400},
    {"multi_linear_metal", "multi_linear", 8, 300},
    {"rms_norm_metal", "rms_norm", 4, 16},
    {"row_sum_squares_metal", "row_sum_squares", 1, 100},
    {"swiglu_few_metal", "swiglu", 2, 12},
    {"swiglu_many_metal", "swiglu", 33, kAny},
    {"attention_metal", "attention", 1, 64},
    {"add_metal", "add"},
    {"mul_metal", "mul"},
    {"scale_metal", "scale"},
    {"add_scalar_metal", "add_scalar"},
    {"rsqrt_metal", "rsqrt"},
    {"row_broadcast_metal", "row_broadcast"},
};
constexpr int64_t kMostRowsOfSimdProjections = 48;

std::vector<std::string> Layouts(const Node& node) {
  std::vector<std::string> layouts;
  bool any = false;
  for (Value input : node.inputs()) {
    any |= input.node->op().traits.weight;
    layouts.push_back(input.node->op().traits.weight ? "gguf" : "");
  }
  return any ? layouts : std::vector<std::string>();
}

class Elsewhere final : public KernelCatalog {
 public:
  Elsewhere() : registry_(MakeKernelRegistry()) {}

  KernelAnswer Find(const Node& node, Target target, const SymbolRanges& symbols) const override {
    for (const RowLimits& limits : LimitsOf(node, target)) {
      if (!Takes(limits, node, symbols)) continue;
      if (target != Target::kMetal) return registry_->Find(node, target, symbols);
      KernelFacts facts = {limits.kernel, limits.min_rows, limits.max_rows};
      facts.record.weight_layouts = Layouts(node);
      return {std::move(facts), {}};
    }
    if (node.op().traits.view) return registry_->Find(node, Target::kScalar, symbols);
    return {std::nullopt, StrCat("no ", Name(target), " kernel takes ", node.op().name)};
  }

  std::vector<RowLimits> LimitsOf(const Node& node, Target target) const override {
    if (target != Target::kMetal) {
      std::vector<RowLimits> limits = registry_->LimitsOf(node, target);
      for (RowLimits& of : limits) {
        if (target == Target::kSimd && node.op().family_name() == "linear") {
          of.max_rows = kMostRowsOfSimdProjections;
        }
      }
      return limits;
    }
    std::vector<RowLimits> limits;
    for (const GpuKernel& kernel : kGpuKernels) {
      if (kernel.op != node.op().name) continue;
      limits.push_back({std::string(kernel.name), kernel.min_rows, kernel.max_rows});
    }
    return limits;
  }

  Device SpaceOf(Device) const override { return Device::kCpu; }

 private:
  static bool Takes(const RowLimits& limits, const Node& node, const SymbolRanges& symbols) {
    const ValueType* rows = RowsType(node);
    int64_t least = rows == nullptr ? 1 : rows->dim(0).At(symbols.Lowest());
    int64_t most = rows == nullptr ? 1 : rows->dim(0).At(symbols.Highest());
    return least >= limits.min_rows && most <= limits.max_rows;
  }

  std::unique_ptr<KernelRegistry> registry_;
};

absl::StatusOr<Program> Compile(const std::string& model, const std::string& policy) {
  ASSIGN_OR_RETURN(ModelFile file, ModelFile::Open(model));
  CompileModelOptions options;
  options.policy = policy;
  options.skip = {"smooth-placement"};
  return CompileModel(file, Elsewhere(), options);
}

absl::Status Write(const absl::StatusOr<Program>& program, const std::string& output) {
  if (!program.ok()) return program.status();
  ASSIGN_OR_RETURN(std::string bytes, SerializeProgram(*program));
  std::ofstream out(output, std::ios::binary);
  out << bytes;
  return out ? absl::OkStatus() : absl::InternalError(StrCat(output, ": cannot be written"));
}

absl::Status Run(const std::vector<std::string>& args) {
  if (args.size() == 2 && args[0] == "--copies") {
    return Write(test::SampleProgramOnTwoDevices(/*shares_memory=*/false), args[1]);
  }
  if (args.size() == 3) return Write(Compile(args[0], args[1]), args[2]);
  return absl::InvalidArgumentError("expected MODEL POLICY PROGRAM or --copies PROGRAM");
}

}  // namespace
}  // namespace infer

int main(int argc, char** argv) {
  absl::Status status = infer::Run({argv + 1, argv + argc});
  if (!status.ok()) std::cerr << status << "\n";
  return status.ok() ? 0 : 1;
}
