// SPDX-License-Identifier: Apache-2.0
#include "tests/backends/metal/case_dispatches.h"

#include <algorithm>

#include "gtest/gtest.h"

namespace infer::metal {
namespace {

const std::byte* Address(const auto& values) {
  return reinterpret_cast<const std::byte*>(values.data());
}

}  // namespace

const MetalKernel* FindKernel(std::string_view name) {
  for (const MetalKernel& kernel : MetalKernels()) {
    if (kernel.info.name == name) return &kernel;
  }
  ADD_FAILURE() << "no kernel " << name;
  return nullptr;
}

CaseDispatches::CaseDispatches(const conformance::ConformanceCase& c, std::string_view kernel_name,
                               const DeviceClass& device, const SymbolRanges& symbols) {
  const MetalKernel* kernel = FindKernel(kernel_name);
  const Node* node = conformance::MakeNode(c, &graph_);
  if (kernel == nullptr || node == nullptr) return;
  const Decision decision = kernel->info.accepts(*node);
  EXPECT_TRUE(decision.accepted()) << decision.reason();
  data_.emplace(c);
  memory_.emplace(c, *data_, *node, Place::kApart);
  const Batch& batch = data_->batch.batch();
  for (const BatchSequence& sequence : batch.sequences) {
    sequences_.push_back({sequence.first_token, sequence.count, sequence.length,
                          static_cast<int32_t>(tables_.size())});
    tables_.insert(tables_.end(), sequence.block_table.begin(), sequence.block_table.end());
    batch_.max_length = std::max<int64_t>(batch_.max_length, sequence.length);
  }
  batch_.token_seq = Address(batch.token_seq);
  batch_.token_pos = Address(batch.token_pos);
  batch_.token_slot = Address(batch.token_slot);
  batch_.out_rows = Address(batch.out_rows);
  batch_.sequences = Address(sequences_);
  batch_.block_tables = Address(tables_);
  batch_.tokens = batch.token_seq.size();
  batch_.rows = batch.out_rows.size();
  batch_.num_sequences = sequences_.size();
  batch_.num_blocks = tables_.size();
  if (kernel->bind != nullptr) constants_ = kernel->bind(*node);
  KernelArgs args = memory_->args();
  args.bound = constants_.get();
  kernel->dispatch(args, batch_, device, dispatches_);
  kernel->pipelines(*node, symbols, device, pipelines_);
}

const Dispatch& CaseDispatches::only() const {
  static const Dispatch none;
  EXPECT_EQ(dispatches_.size(), 1u);
  return dispatches_.empty() ? none : dispatches_.front();
}

}  // namespace infer::metal
