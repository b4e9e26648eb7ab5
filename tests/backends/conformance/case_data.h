// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "ir/graph/graph.h"
#include "tests/backends/conformance/conformance_case.h"
#include "tests/support/kernel_harness.h"

namespace infer::conformance {

// A batch that owns its memory: sequences one after the other, their blocks shuffled.
class TestBatch {
 public:
  TestBatch(const std::vector<SequencePart>& sequences, int32_t block_positions);
  TestBatch(const TestBatch&) = delete;
  TestBatch& operator=(const TestBatch&) = delete;

  const Batch& batch() const { return batch_; }
  SymbolValues symbols() const;
  int32_t num_blocks() const { return num_blocks_; }

 private:
  void AddSequence(const SequencePart& part, const std::vector<int32_t>& blocks);

  Batch batch_;
  int32_t num_blocks_ = 0;
  int64_t entries_ = 0;
  std::vector<int32_t> token_seq_, token_pos_, token_slot_, out_rows_;
  std::vector<std::vector<int32_t>> tables_;
  std::vector<BatchSequence> sequences_;
};

// One input of the op: a tensor, or which of the two others it is.
struct CaseInput {
  Arg::Kind kind = Arg::Kind::kRows;
  TestTensor tensor = {};
};

// The numbers of a case. The same on every machine.
struct CaseData {
  explicit CaseData(const ConformanceCase& c);

  TestBatch batch;
  SymbolValues symbols;
  std::vector<CaseInput> inputs;
  std::optional<TestCache> cache;  // as it is before the call
};

// The node of a case in a graph of its own; nullptr, and a failure of the running test, if the op
// refuses it.
const Node* MakeNode(const ConformanceCase& c, Graph* graph);

}  // namespace infer::conformance
