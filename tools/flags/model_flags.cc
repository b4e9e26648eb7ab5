// SPDX-License-Identifier: Apache-2.0
#include "tools/flags/model_flags.h"

#include <string_view>

#include "ir/base/strings.h"
#include "tools/cli/exit_code.h"
#include "tools/flags/machine_flag.h"
#include "tools/flags/shard_flags.h"
#include "tools/passes/pass_flags.h"

namespace infer {

void RegisterModelFlags(Flags& flags, ModelFlags* options) {
  flags.Section("Model");
  flags.Text("-m,--model", &options->model, "FILE", "GGUF file")
      .Default("the bundled model")
      .NotEmpty("leave it out for the bundled model");
  flags.Enum(
      "--activations", &options->compile.activations,
      {{"auto", Policy::Activations::kAuto}, {"float", Policy::Activations::kFloat}},
      "float: kernels keep activations in f32, for accuracy studies; auto: as the policy says");
  flags.Bool(
      "--invariant", &options->compile.invariant,
      "give a sequence the same bits whatever else is in its calls and however its prompt is "
      "cut");
  flags
      .Enum("--kv-type", &options->compile.kv_type,
            {{"f16", DType::kF16}, {"f32", DType::kF32}, {"q8_0", DType::kQ8_0}},
            "element type of the KV cache")
      .Alias("-ctk")
      .Default("f16, or the policy's");
  RegisterShard(flags, &options->compile.shard);
  RegisterSkip(flags, &options->compile.skip);
  RegisterMachine(flags, &options->compile.machine);
}

void RegisterPolicy(Flags& flags, ModelFlags* options) {
  flags.Text("--policy", &options->compile.policy, "NAME|FILE", "placement policy").NotEmpty();
  RegisterOverrides(flags, options);
}

void RegisterOverrides(Flags& flags, ModelFlags* options) {
  CompileModelOptions* compile = &options->compile;
  flags.TextList("--place", &compile->place, "RULE",
                 "rule before the policy's, such as 'op=linear,layer>=20,rows<8=simd'; repeatable, "
                 "the first that matches decides");
  flags.TextList("-ot,--override-tensor", &compile->tensor_overrides, "RE=TARGET",
                 "place the nodes that read a matching weight on TARGET; repeatable");
  flags
      .Int("-ngl,--gpu-layers", &compile->gpu_layers, "N",
           "place the last N layers and the output on the GPU")
      .Alias("--n-gpu-layers")
      .Min(0);
  flags.Bool("-cmoe,--cpu-moe", &compile->cpu_moe, "keep the experts of all layers on the CPU");
  flags
      .Int("-ncmoe,--n-cpu-moe", &compile->cpu_moe_layers, "N",
           "keep the experts of the first N layers on the CPU")
      .Min(0);
  flags.Text("--no-pack", &options->no_pack, "experts",
             "read these weights from the mapped file instead of packing them");
  flags.Bool("--strict", &compile->strict,
             "allow only the first target of each rule, and make a rule without effect an error");
}

void RegisterCallSizes(Flags& flags, ModelFlags* options) {
  flags.Int("-c,--ctx-size", &options->compile.context, "N", "context in tokens")
      .Alias("--ctx")
      .Min(0)
      .Default(StrCat(kDefaultContext, ", or the model's own"));
  flags
      .Int("-ub,--ubatch-size", &options->compile.chunk, "N",
           "largest number of tokens in one call")
      .Range(1, 65536);
}

void RegisterPackCache(Flags& flags, ModelFlags* options) {
  flags.SwitchOrText(
      "--pack-cache", &options->pack_cache.on, &options->pack_cache.folder, "DIR",
      "keep packed weights in a file beside the model or in DIR, so that the next load reads them; "
      "they are packed again if the file is damaged or the model's size, inode or times changed");
}

absl::Status CompleteModelFlags(ModelFlags* options) {
  if (!options->no_pack.empty() && options->no_pack != "experts") {
    return UsageError(
        StrCat("--no-pack ", options->no_pack, ": only 'experts' can be left unpacked"));
  }
  options->compile.no_pack_experts = !options->no_pack.empty();
  return CompleteSkip(&options->compile.skip);
}

absl::Status RefuseCompileFlags(const Flags& flags) {
  for (std::string_view flag :
       {"--policy", "--place", "--override-tensor", "--gpu-layers", "--cpu-moe", "--n-cpu-moe",
        "--no-pack", "--strict", "--activations", "--invariant", "--skip", "--kv-type",
        "--ubatch-size", "--machine", "--ranks", "--shard-mode"}) {
    if (!flags.Given(flag)) continue;
    return UsageError(StrCat(flag,
                             " with a stored program, which has fixed that already; "
                             "compile again with infer-compile ",
                             flag));
  }
  return absl::OkStatus();
}

}  // namespace infer
