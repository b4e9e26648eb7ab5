// SPDX-License-Identifier: Apache-2.0
#include "tools/model/model_flags.h"

#include <string_view>

#include "ir/strings.h"
#include "tools/cli/exit_code.h"
#include "tools/passes/pass_flags.h"

namespace infer {

void RegisterModelFlags(Flags& flags, ModelFlags* options) {
  flags.Section("Model");
  flags.Text("-m,--model", &options->model, "FILE", "GGUF file").Default("the bundled model");
  flags.Enum("--activations", &options->compile.activations,
             {{"auto", Policy::Activations::kAuto}, {"float", Policy::Activations::kFloat}},
             "float: kernels keep activations in f32, for studies of accuracy; auto: as the policy "
             "says");
  flags
      .Enum("--kv-type", &options->compile.kv_type,
            {{"f16", DType::kF16}, {"f32", DType::kF32}, {"q8_0", DType::kQ8_0}},
            "element type of the KV cache")
      .Alias("-ctk")
      .Default("f16, or the policy's");
  RegisterSkip(flags, &options->compile.skip);
}

void RegisterPolicy(Flags& flags, ModelFlags* options) {
  flags.Text("--policy", &options->compile.policy, "NAME|FILE", "placement policy");
}

void RegisterCallSizes(Flags& flags, ModelFlags* options) {
  flags.Int("-c,--ctx-size", &options->compile.context, "N", "context in tokens")
      .Alias("--ctx")
      .Min(0)
      .Default(StrCat(kDefaultContext, ", or the model's own"));
  flags.Int("-ub,--ubatch-size", &options->compile.chunk, "N", "most tokens in one call")
      .Range(1, 65536);
}

void RegisterPackCache(Flags& flags, ModelFlags* options) {
  flags.Bool("--pack-cache", &options->pack_cache,
             "keep packed weights in a file beside the model, so that the next load reads them; a "
             "stale or damaged one is replaced");
}

absl::Status CompleteModelFlags(ModelFlags* options) {
  return CompleteSkip(&options->compile.skip);
}

absl::Status RefuseCompileFlags(const Flags& flags) {
  for (std::string_view flag :
       {"--policy", "--activations", "--skip", "--kv-type", "--ubatch-size"}) {
    if (!flags.Given(flag)) continue;
    return UsageError(StrCat(flag,
                             " with -g: the stored program has decided that already; "
                             "compile again with infer-compile ",
                             flag));
  }
  return absl::OkStatus();
}

}  // namespace infer
