// SPDX-License-Identifier: Apache-2.0
//
// Formats what infer-run prints on stderr before and after the text. No text ends with a newline.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/generation.h"
#include "runtime/metrics.h"
#include "runtime/sampler.h"
#include "runtime/session.h"
#include "tools/api/model_file.h"
#include "tools/run/run_options.h"
#include "tools/run/thread_waits.h"

namespace infer {

// Returns the nodes of each regime by target: "program  policy auto, with place op=linear=simd; T
// 1..7: parallel 41, simd 18; T 8..512: ...".
std::string ProgramLine(const Program& program);

// Returns two lines: the model, and how it runs.
std::string HeaderText(const ModelFile& model, const Session& session,
                       const KernelRegistry& registry, const ThreadChoice& threads, double load_ms);

// Returns program, CPU, threads, memory and loading, one line each.
std::string DetailText(const ModelFile& model, const Session& session,
                       const KernelRegistry& registry, const ThreadChoice& threads, double load_ms);

std::string SamplerLine(const SamplerOptions& sampler);

// Returns the lines about the model that drafts.
std::string DraftText(const ModelFile& model, const Session& session,
                      const KernelRegistry& registry);

// The work of one answer.
struct AnswerSpeed {
  int64_t prompt_tokens = 0;
  int64_t cached_tokens = 0;  // of the prompt, found in the cache
  int64_t new_tokens = 0;
  double prefill_ms = 0;
  int64_t decode_tokens = 0;
  double decode_ms = 0;
  StopReason reason = StopReason::kEndToken;
};

// Returns "24 tokens at 62.3 tokens/s; prompt of 35 tokens, 34 from the cache, at 310.0 tokens/s".
std::string SpeedLine(const AnswerSpeed& speed);

// Returns the statistics: one per line, or one line of JSON. Empty for kNone.
std::string StatsText(const Metrics& metrics, const PackedWeights& packed,
                      const ThreadChoice& threads, const ThreadWaits& waits, StatsForm form);

}  // namespace infer
