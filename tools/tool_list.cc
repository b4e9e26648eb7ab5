// SPDX-License-Identifier: Apache-2.0
#include "tools/tool_list.h"

namespace infer {

extern const Tool kGgufInspect;
extern const Tool kInferBench;
extern const Tool kInferCompile;
extern const Tool kInferDevices;
extern const Tool kInferEmbed;
extern const Tool kInferEval;
extern const Tool kInferOpt;
extern const Tool kInferPolicy;
extern const Tool kInferProfile;
extern const Tool kInferRun;
extern const Tool kInferServe;
extern const Tool kInferSynth;
extern const Tool kInferTokenize;
extern const Tool kInferVersion;
extern const Tool kInferViz;

std::span<const Tool* const> AllTools() {
  static constexpr const Tool* kTools[] = {
      &kInferRun,      &kInferServe,   &kInferProfile, &kInferCompile, &kInferOpt,
      &kInferTokenize, &kInferEmbed,   &kInferEval,    &kInferBench,   &kGgufInspect,
      &kInferSynth,    &kInferDevices, &kInferPolicy,  &kInferViz,     &kInferVersion,
  };
  return kTools;
}

}  // namespace infer
