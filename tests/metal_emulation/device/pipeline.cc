// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "tests/metal_emulation/device/state.h"

namespace infer::emulation {
namespace {

MTL::ComputePipelineState* MakePipeline(const MTL::Function* function, NS::Error** error) {
  const std::string name = function->state->kernel->name;
  if (const auto failure = settings().pipeline_failures.find(name);
      failure != settings().pipeline_failures.end()) {
    SetError(error, failure->second);
    return nullptr;
  }
  auto* const pipeline = new MTL::ComputePipelineState;
  pipeline->emulated_label = name;
  pipeline->state->file = function->state->file;
  pipeline->state->kernel = function->state->kernel;
  pipeline->state->constants = function->state->constants;
  pipeline->state->max_threads = static_cast<NS::UInteger>(function->state->kernel->max_threads);
  if (const auto limit = settings().max_threads.find(name); limit != settings().max_threads.end()) {
    pipeline->state->max_threads =
        std::min(pipeline->state->max_threads, static_cast<NS::UInteger>(limit->second));
  }
  Count(&Counters::pipelines);
  return pipeline;
}

}  // namespace
}  // namespace infer::emulation

namespace MTL {

namespace emulation = infer::emulation;

ComputePipelineDescriptor::ComputePipelineDescriptor() : state(new State) {}
ComputePipelineDescriptor::~ComputePipelineDescriptor() = default;
ComputePipelineDescriptor* ComputePipelineDescriptor::alloc() {
  return new ComputePipelineDescriptor;
}
ComputePipelineDescriptor* ComputePipelineDescriptor::init() { return this; }
Function* ComputePipelineDescriptor::computeFunction() const { return state->function.get(); }
void ComputePipelineDescriptor::setComputeFunction(const Function* function) {
  state->function = NS::RetainPtr(const_cast<Function*>(function));
}
NS::String* ComputePipelineDescriptor::label() const {
  return emulation::AutoreleasedString(emulated_label);
}
void ComputePipelineDescriptor::setLabel(const NS::String* label) {
  emulated_label = label->emulated_text;
}
void ComputePipelineDescriptor::setThreadGroupSizeIsMultipleOfThreadExecutionWidth(bool multiple) {
  state->multiple_of_width = multiple;
}
void ComputePipelineDescriptor::setMaxTotalThreadsPerThreadgroup(NS::UInteger threads) {
  state->max_threads = threads;
}

ComputePipelineState::ComputePipelineState() : state(new State) {}
ComputePipelineState::~ComputePipelineState() = default;
NS::String* ComputePipelineState::label() const {
  return emulation::AutoreleasedString(emulated_label);
}
NS::UInteger ComputePipelineState::threadExecutionWidth() const { return emulation::kSimdWidth; }
NS::UInteger ComputePipelineState::maxTotalThreadsPerThreadgroup() const {
  return state->max_threads;
}
NS::UInteger ComputePipelineState::staticThreadgroupMemoryLength() const { return 0; }

ComputePipelineState* Device::newComputePipelineState(const Function* function, NS::Error** error) {
  return emulation::MakePipeline(function, error);
}

ComputePipelineState* Device::newComputePipelineState(const ComputePipelineDescriptor* descriptor,
                                                      PipelineOption,
                                                      const AutoreleasedComputePipelineReflection*,
                                                      NS::Error** error) {
  if (!descriptor->state->function) {
    emulation::SetError(error, "a compute pipeline without a function");
    return nullptr;
  }
  ComputePipelineState* const pipeline =
      emulation::MakePipeline(descriptor->state->function.get(), error);
  if (pipeline == nullptr) return nullptr;
  pipeline->state->multiple_of_width = descriptor->state->multiple_of_width;
  if (descriptor->state->max_threads > 0) {
    pipeline->state->max_threads =
        std::min(pipeline->state->max_threads, descriptor->state->max_threads);
  }
  return pipeline;
}

}  // namespace MTL
