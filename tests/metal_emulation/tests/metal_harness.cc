// SPDX-License-Identifier: Apache-2.0
#include "tests/metal_emulation/tests/metal_harness.h"

#include <algorithm>

#include "tests/metal_emulation/generator/source.h"

namespace infer::emulation {
namespace {

NS::String* Text(const std::string& text) {
  return NS::String::string(text.c_str(), NS::UTF8StringEncoding);
}

std::string TextOf(const NS::Error* error) {
  return error == nullptr ? "no error" : error->localizedDescription()->utf8String();
}

}  // namespace

MetalHarness::MetalHarness()
    : pool_(NS::AutoreleasePool::alloc()->init()),
      device_(NS::TransferPtr(MTL::CreateSystemDefaultDevice())),
      queue_(NS::TransferPtr(device_->newCommandQueue())) {
  residency_ = NewResidencySet();
  if (residency_) queue_->addResidencySet(residency_.get());
}

MetalHarness::~MetalHarness() {
  queue_.reset();
  residency_.reset();
  device_.reset();
  pool_->release();
}

Ref<MTL::ResidencySet> MetalHarness::NewResidencySet(std::string* error) {
  const Ref<MTL::ResidencySetDescriptor> descriptor =
      NS::TransferPtr(MTL::ResidencySetDescriptor::alloc()->init());
  NS::Error* found = nullptr;
  Ref<MTL::ResidencySet> set = NS::TransferPtr(device_->newResidencySet(descriptor.get(), &found));
  if (!set && error != nullptr) *error = TextOf(found);
  return set;
}

Ref<MTL::Library> MetalHarness::LibraryFromText(const std::string& text, std::string* error) {
  const Ref<MTL::CompileOptions> options = NS::TransferPtr(MTL::CompileOptions::alloc()->init());
  options->setLanguageVersion(MTL::LanguageVersion3_1);
  NS::Error* found = nullptr;
  Ref<MTL::Library> library =
      NS::TransferPtr(device_->newLibrary(Text(text), options.get(), &found));
  if (!library && error != nullptr) *error = TextOf(found);
  return library;
}

Ref<MTL::Library> MetalHarness::Library(const std::string& path, std::string* error) {
  const absl::StatusOr<Source> source =
      LoadSource(std::string(INFER_SOURCE_DIR) + "/" + path, {INFER_SOURCE_DIR});
  if (!source.ok()) {
    if (error != nullptr) *error = source.status().ToString();
    return {};
  }
  std::string text;
  for (const Token& token : source->tokens) text += token.text;
  return LibraryFromText(text, error);
}

Ref<MTL::ComputePipelineState> MetalHarness::Pipeline(const std::string& path,
                                                      const std::string& function) {
  const Ref<MTL::Library> library = Library(path);
  if (!library) return {};
  const Ref<MTL::Function> made = NS::TransferPtr(library->newFunction(Text(function)));
  if (!made) return {};
  return NS::TransferPtr(device_->newComputePipelineState(made.get(), nullptr));
}

Ref<MTL::Buffer> MetalHarness::Buffer(size_t bytes) {
  Ref<MTL::Buffer> buffer = NS::TransferPtr(device_->newBuffer(
      bytes, MTL::ResourceStorageModeShared | MTL::ResourceHazardTrackingModeUntracked));
  if (residency_) {
    residency_->addAllocation(buffer.get());
    residency_->commit();
  }
  return buffer;
}

std::string MetalHarness::Run(MTL::ComputePipelineState* pipeline,
                              std::initializer_list<BindingArgument> arguments, MTL::Size groups,
                              MTL::Size threads, size_t threadgroup_bytes) {
  MTL::CommandBuffer* const commands = queue_->commandBuffer();
  MTL::ComputeCommandEncoder* const encoder =
      commands->computeCommandEncoder(MTL::DispatchTypeConcurrent);
  encoder->setComputePipelineState(pipeline);
  for (const BindingArgument& argument : arguments) {
    const auto index = static_cast<NS::UInteger>(argument.index);
    if (argument.buffer != nullptr) {
      encoder->setBuffer(argument.buffer, argument.offset, index);
    } else {
      encoder->setBytes(argument.bytes.data(), argument.bytes.size(), index);
    }
  }
  if (threadgroup_bytes > 0) encoder->setThreadgroupMemoryLength(threadgroup_bytes, 0);
  encoder->dispatchThreadgroups(groups, threads);
  encoder->endEncoding();
  return Finish(commands);
}

std::string MetalHarness::Finish(MTL::CommandBuffer* commands) {
  commands->commit();
  commands->waitUntilCompleted();
  if (commands->status() == MTL::CommandBufferStatusCompleted) return "";
  return TextOf(commands->error());
}

std::vector<Settings> AllOrders() {
  std::vector<Settings> all;
  for (const Order order : {Order::kForward, Order::kReverse, Order::kShuffled}) {
    Settings settings;
    settings.order = order;
    settings.dispatch_order = order;
    settings.seed = 7;
    all.push_back(settings);
  }
  return all;
}

}  // namespace infer::emulation
