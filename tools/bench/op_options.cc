// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/op_options.h"

#include <algorithm>
#include <utility>

#include "ir/base/nearest.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "tools/bench/number_list.h"
#include "tools/bench/op_node.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/flag_text.h"
#include "tools/synth/random_blocks.h"

namespace infer {
namespace {

absl::StatusOr<std::vector<DType>> ParseTypes(const OpOptions& options, bool of_cache) {
  std::vector<std::string> texts = options.type_texts;
  if (texts.empty()) texts = {of_cache ? "f16" : "q8_0"};
  std::vector<DType> types;
  for (const std::string& text : texts) {
    for (const std::string& name : SplitWords(text, ',')) {
      std::optional<DType> type = FindDType(name);
      if (!type || !SupportsRandomBlocks(*type)) {
        std::vector<std::string> known;
        for (const DTypeInfo& info : AllDTypes()) {
          if (SupportsRandomBlocks(info.dtype)) known.emplace_back(info.name);
        }
        return UsageError(StrCat("--type '", name, "' is not a weight type",
                                 DidYouMean(name, known), "; expected one of ",
                                 JoinWords(known, ", ")));
      }
      types.push_back(*type);
    }
  }
  return types;
}

absl::Status ParseTargets(OpOptions* options) {
  for (const std::string& text : options->target_texts) {
    for (const std::string& name : SplitWords(text, ',')) {
      if (name == "all") {
        options->targets.assign(kUserTargets.begin(), kUserTargets.end());
        continue;
      }
      std::optional<Target> target = FindTarget(name);
      if (!target) {
        return UsageError(StrCat("--target: ", UnknownTarget(name), ", all"));
      }
      options->targets.push_back(*target);
    }
  }
  return absl::OkStatus();
}

absl::Status CheckShape(const OpShape& shape) {
  const int64_t block = Info(shape.type).block_elements;
  if (shape.inner % block != 0) {
    return UsageError(StrCat("--k ", shape.inner, ": a row of ", Name(shape.type),
                             " must be a multiple of ", block));
  }
  if (shape.heads % shape.kv_heads != 0) {
    return UsageError(
        StrCat("--heads ", shape.heads, " is not a multiple of --kv-heads ", shape.kv_heads));
  }
  if (shape.head_dim % 2 != 0) return UsageError("--head-dim must be even");
  return absl::OkStatus();
}

}  // namespace

void RegisterOpFlags(Flags& flags, OpOptions* options) {
  flags.Section("Kernel");
  flags.Choice("--op", &options->op, BenchOps(), "op to measure");
  flags
      .TextList("--target", &options->target_texts, "NAME,NAME",
                "targets whose kernels are measured; all: every target that has one")
      .Alias("--device");
  flags.TextList("--type", &options->type_texts, "TYPE,TYPE", "type of the weight, or of the cache")
      .Default("q8_0; f16 for a cache");
  flags.Bool("--float", &options->float_activations, "only kernels that keep activations in f32");
  flags.Section("Shape: lists and ranges multiply");
  flags.TextList("--m,--rows", &options->row_texts, "N,N", "rows of the activations: tokens")
      .Alias("--tokens");
  flags.TextList("--n,--columns", &options->column_texts, "N,N", "columns of the result");
  flags.TextList("--k,--inner", &options->inner_texts, "N,N", "length of a row of the weight");
  flags.TextList("-d,--depth", &options->depth_texts, "N,N", "cache entries before the call");
  flags.Int("--heads", &options->heads, "N", "query heads").Range(1, 1 << 16);
  flags.Int("--kv-heads", &options->kv_heads, "N", "key/value heads").Range(1, 1 << 16);
  flags.Int("--head-dim", &options->head_dim, "N", "elements of a head").Range(2, 1 << 16);
  flags.Section("Measuring");
  RegisterThreads(flags, &options->threads);
  flags
      .Bool("--cold", &options->cold,
            "read other weights in every call, so that they come from memory")
      .Default(StrCat("up to ", kColdRows, " rows"));
  flags.Float("--min-time", &options->min_time_s, "SECONDS", "minimum time of one repetition")
      .Range(0.001, 1000);
}

absl::Status CompleteOp(OpOptions* options) {
  RETURN_IF_ERROR(ParseTargets(options));
  ASSIGN_OR_RETURN(std::vector<DType> types, ParseTypes(*options, ReadsCache(options->op)));
  ASSIGN_OR_RETURN(std::vector<int64_t> rows, ParseNumberList("--m", options->row_texts, 1));
  ASSIGN_OR_RETURN(std::vector<int64_t> columns, ParseNumberList("--n", options->column_texts, 1));
  ASSIGN_OR_RETURN(std::vector<int64_t> inner, ParseNumberList("--k", options->inner_texts, 1));
  ASSIGN_OR_RETURN(std::vector<int64_t> depths, ParseNumberList("-d", options->depth_texts, 0));
  OpShape shape{
      .heads = options->heads, .kv_heads = options->kv_heads, .head_dim = options->head_dim};
  for (DType type : types) {
    for (int64_t k : inner) {
      for (int64_t n : columns) {
        for (int64_t d : depths) {
          for (int64_t m : rows) {
            shape.type = type;
            shape.inner = k;
            shape.columns = n;
            shape.depth = d;
            shape.rows = m;
            RETURN_IF_ERROR(CheckShape(shape));
            options->shapes.push_back(shape);
          }
        }
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace infer
