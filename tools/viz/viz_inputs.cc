// SPDX-License-Identifier: Apache-2.0
#include "tools/viz/viz_inputs.h"

#include <memory>
#include <string>
#include <utility>

#include "backends/backends.h"
#include "ir/base/status_macros.h"
#include "tools/api/input.h"
#include "tools/api/program_file.h"
#include "tools/api/thread_choice.h"
#include "tools/profile/profile_estimates.h"
#include "tools/viz/pass_texts.h"

namespace infer {
namespace {

// A model of 94 layers decomposed into primitives gives 350 MB.
constexpr size_t kMaxPassLogBytes = size_t{1} << 30;

absl::StatusOr<Profile> ReadProfileOf(const Program& program, const std::string& path) {
  ASSIGN_OR_RETURN(std::string bytes, ReadInput(path, kMaxProfileFileBytes));
  ASSIGN_OR_RETURN(Profile profile, DeserializeProfile(bytes, path));
  RETURN_IF_ERROR(CheckProfileOf(program, profile, path));
  RETURN_IF_ERROR(EstimateProfile(program, &profile));
  return profile;
}

// Returns nothing if it cannot be said: the Program may be for kernels that this build has not.
std::optional<RunMemory> MemoryOf(const Program& program, const GgufFile* file) {
  const std::unique_ptr<KernelRegistry> registry = MakeKernelRegistry();
  const ThreadChoice threads = ChooseThreads(ThreadRequest(), ReadThreadLimits());
  absl::StatusOr<MemoryEstimate> estimate =
      EstimateMemory(program, file, *registry, threads.team.threads);
  if (!estimate.ok()) return std::nullopt;
  return RunMemory{*std::move(estimate), file != nullptr};
}

// With the tokenizer if the model's file lies beside the Program and is the one it was made of.
std::optional<RunMemory> MemoryBeside(const std::string& path, const Program& program) {
  absl::StatusOr<std::string> beside = FindModelBeside(path, program);
  absl::StatusOr<ModelFile> model = beside.ok() ? ModelFile::Open(*beside) : beside.status();
  const bool matches =
      model.ok() && model->gguf().model_ref().header_hash == program.model.header_hash;
  return MemoryOf(program, matches ? &model->gguf() : nullptr);
}

}  // namespace

absl::Status VizInputs::Read(const VizOptions& options, const Program& program,
                             const ModelFile* model) {
  memory_ =
      model == nullptr ? MemoryBeside(options.program, program) : MemoryOf(program, &model->gguf());
  if (!options.profile.empty()) {
    ASSIGN_OR_RETURN(profile_, ReadProfileOf(program, options.profile));
  }
  if (!options.vs.empty()) {
    ASSIGN_OR_RETURN(vs_, ReadProgramFile(options.vs));
    vs_memory_ = MemoryBeside(options.vs, *vs_);
  }
  if (!options.vs_profile.empty()) {
    ASSIGN_OR_RETURN(vs_profile_, ReadProfileOf(vs_ ? *vs_ : program, options.vs_profile));
  }
  if (!options.pass_log.empty()) {
    ASSIGN_OR_RETURN(std::string text, ReadInput(options.pass_log, kMaxPassLogBytes));
    ASSIGN_OR_RETURN(pass_log_, ParsePassLog(text, options.pass_log));
    RETURN_IF_ERROR(CheckPassLogOf(program, options.program, *pass_log_, options.pass_log));
  }
  return absl::OkStatus();
}

std::vector<NamedProgram> VizInputs::Programs(const VizOptions& options,
                                              const Program& program) const {
  const RunMemory* memory = memory_ ? &*memory_ : nullptr;
  std::vector<NamedProgram> programs = {{options.program, &program, profile_ ? &*profile_ : nullptr,
                                         pass_log_ ? &*pass_log_ : nullptr, memory}};
  const Profile* vs_profile = vs_profile_ ? &*vs_profile_ : nullptr;
  if (vs_) {
    programs.push_back(
        {options.vs, &*vs_, vs_profile, nullptr, vs_memory_ ? &*vs_memory_ : nullptr});
  } else if (vs_profile != nullptr) {
    programs.push_back({options.vs_profile, &program, vs_profile, nullptr, memory});
  }
  return programs;
}

}  // namespace infer
