// SPDX-License-Identifier: Apache-2.0
//
// Formats what infer-run prints on stderr before and after the text.
#pragma once

#include <string>

#include "runtime/metrics.h"
#include "runtime/sampler.h"
#include "runtime/session.h"
#include "tools/api/model_file.h"
#include "tools/run/run_options.h"
#include "tools/run/thread_waits.h"

namespace infer {

// Returns the nodes of each regime by target: "program  policy auto, with place op=linear=simd; T
// 1..7: parallel 41, simd 18; T 8..512: ...". Ends with a newline.
std::string ProgramLine(const Program& program);

// Returns model, program, CPU, threads, memory, loading and sampler, one line each.
std::string HeaderText(const ModelFile& model, const Session& session,
                       const KernelRegistry& registry, const ThreadChoice& threads, double load_ms,
                       const SamplerOptions& sampler);

// Returns the statistics without a final newline: one per line, or one line of JSON. Empty for
// kNone.
// Returns the lines about the model that drafts.
std::string DraftText(const ModelFile& model, const Session& session,
                      const KernelRegistry& registry);

std::string StatsText(const Metrics& metrics, const PackedWeights& packed,
                      const ThreadChoice& threads, const ThreadWaits& waits, StatsForm form);

}  // namespace infer
