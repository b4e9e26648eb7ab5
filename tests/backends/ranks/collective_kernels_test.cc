// SPDX-License-Identifier: Apache-2.0
//
// What a collective gives does not depend on whether ranks read each other's memory or send
// messages, nor on how many threads copy and add.
#include "backends/ranks/collective_kernels.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "ir/graph/builder.h"
#include "ir/ops/message.h"
#include "ir/ops/ops.h"
#include "runtime/delayed_collective.h"
#include "runtime/half.h"
#include "runtime/in_process_ranks.h"
#include "runtime/joined_parts.h"
#include "tests/support/hang_limit.h"

namespace infer {
namespace {

// Whole numbers with the magnitude 127 in every block, which all forms keep.
float ValueAt(int64_t row, int64_t column) {
  return column % 32 == 0 ? 127.0f : static_cast<float>((row * 31 + column * 7) % 255 - 127);
}

Operand Tensor(std::vector<float>& memory, int64_t rows, int64_t columns) {
  memory.resize(static_cast<size_t>(rows * columns));
  Operand operand;
  operand.tensor = {
      .data = reinterpret_cast<std::byte*>(memory.data()), .rank = 2, .dims = {rows, columns}};
  return operand;
}

// In memory of all ranks if the link says so.
struct Result {
  Result(int64_t rows, int64_t columns, const RankLink& link) {
    operand = Tensor(own, rows, columns);
    if (link.shared == nullptr) return;
    common = link.shared->Allocate(SharedRanks::kCommonAlignment * 16, 0).value();
    EXPECT_NE(common, nullptr);
    EXPECT_LE(own.size() * sizeof(float), common->bytes());
    operand.tensor.data = common->data();
  }

  std::vector<float> own;
  std::unique_ptr<SpaceMemory> common;
  Operand operand;
};

struct Gather {
  int ranks;
  int64_t rows;
  int64_t columns;  // of a part
  const MessageForm& form;
  bool in_place = false;  // parts are where the result has them
  bool stays = false;     // rounded
};

// Element `i` of a result that may have stayed rounded.
float ElementOf(const TensorView& result, int64_t i) {
  if (result.dtype == DType::kF32) return result.f32()[i];
  return BF16ToF32(reinterpret_cast<const uint16_t*>(result.data)[i]);
}

// Runs the kernel of one rank and returns the number of wrong elements.
int WrongElements(
    const Gather& gather, int rank, const RankLink& link,
    const std::function<void()>& before = [] {}) {
  Graph graph;
  GraphBuilder builder(&graph);
  Value x = graph.AddInput("x", ValueType::F32({gather.rows, gather.columns}))->output();
  Node* node = ops::AllGather(builder, x, /*axis=*/1, gather.ranks, "").node;
  if (gather.stays) {
    ops::StayRounded(node, 0, "");
  } else if (!gather.form.name.empty()) {
    ops::SetMessage(node, gather.form, "");
  }
  std::vector<float> part;
  Operand in = Tensor(part, gather.rows, gather.columns);
  Result result(gather.rows, gather.columns * gather.ranks, link);
  result.operand.tensor.dtype = node->result().type.tensor.dtype;
  const Operand& out = result.operand;
  if (gather.in_place) {
    in.tensor.data = out.tensor.data + rank * gather.columns * int64_t{sizeof(float)};
    in.tensor.row_stride = out.tensor.columns();
  }
  for (int64_t i = 0; i < in.tensor.elements(); ++i) {
    const int64_t row = i / gather.columns, column = i % gather.columns;
    in.tensor.mutable_f32()[row * in.tensor.stride() + column] =
        ValueAt(row, rank * gather.columns + column);
  }
  for (const CollectiveKernel& kernel : CollectiveKernels()) {
    if (kernel.info.op != &node->op() || !kernel.info.accepts(*node).accepted()) continue;
    std::vector<std::byte> workspace(kernel.info.workspace_bytes(*node, graph.symbols()));
    before();
    const absl::Status status = kernel.run({.inputs = {&in, 1},
                                            .outputs = {&out, 1},
                                            .attrs = node->attrs(),
                                            .workspace = workspace.data()},
                                           link);
    EXPECT_TRUE(status.ok()) << status;
    int wrong = 0;
    const int64_t columns = out.tensor.columns();
    for (int64_t i = 0; i < out.tensor.elements(); ++i) {
      wrong += ElementOf(out.tensor, i) == ValueAt(i / columns, i % columns) ? 0 : 1;
    }
    return wrong;
  }
  ADD_FAILURE() << "no kernel for " << gather.form.name;
  return -1;
}

TEST(AllGather, GivesTheSameSharedOrSentWithAnyThreads) {
  struct Case {
    const MessageForm& form;
    bool stays;
  };
  std::vector<Case> cases;
  for (const MessageForm& form : kMessageForms) cases.push_back({form, false});
  cases.push_back({ops::kStayingForm, true});
  for (const auto& [form, stays] : cases) {
    for (int64_t rows : {1, 3, 200}) {
      for (bool shared : {false, true}) {
        const Gather gather = {
            .ranks = 3, .rows = rows, .columns = 256, .form = form, .stays = stays};
        const std::vector<std::shared_ptr<SharedRanks>> ends = MakeInProcessRanks(gather.ranks);
        std::vector<std::thread> threads;
        std::atomic<int64_t> pieces = 0;
        for (int rank = 0; rank < gather.ranks; ++rank) {
          threads.emplace_back([&, rank] {
            const std::shared_ptr<Collective> sending = MakeDelayed(ends[rank], {});
            const RankLink link = {
                .transport = shared ? ends[rank].get() : sending.get(),
                .shared = shared ? ends[rank].get() : nullptr,
                .parallel_for = [&](int64_t count, const std::function<void(int64_t)>& body) {
                  pieces += count;
                  for (int64_t i = count; i-- > 0;) body(i);
                }};
            EXPECT_EQ(WrongElements(gather, rank, link), 0)
                << form.name << ", " << rows << " rows, " << (shared ? "shared" : "sent");
          });
        }
        for (std::thread& thread : threads) thread.join();
        EXPECT_EQ(pieces > 0, rows == 200);
      }
    }
  }
}

// The ranks only wait for each other.
TEST(AllGather, CopiesNothingThatIsInItsPlace) {
  const Gather gather = {
      .ranks = 3, .rows = 200, .columns = 256, .form = kMessageForms[0], .in_place = true};
  const std::vector<std::shared_ptr<SharedRanks>> ends = MakeInProcessRanks(gather.ranks);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < gather.ranks; ++rank) {
    threads.emplace_back([&, rank] {
      const RankLink link = {.transport = ends[rank].get(),
                             .shared = ends[rank].get(),
                             .parallel_for = [](int64_t, const std::function<void(int64_t)>&) {
                               ADD_FAILURE() << "there is nothing to copy";
                             }};
      EXPECT_EQ(WrongElements(gather, rank, link), 0) << "rank " << rank;
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(AllGather, CountsTheTimeThatARankWaits) {
  for (bool shared : {false, true}) {
    const Gather gather = {.ranks = 2, .rows = 3, .columns = 256, .form = kMessageForms[0]};
    // Once more if the rank that is early lost its CPU just before it waited, or the other later.
    EXPECT_TRUE(WaitUntil([&] {
      const std::vector<std::shared_ptr<SharedRanks>> ends = MakeInProcessRanks(gather.ranks);
      std::vector<std::thread> threads;
      int64_t waited_ns[2] = {};
      for (int rank = 0; rank < gather.ranks; ++rank) {
        threads.emplace_back([&, rank] {
          const RankLink link = {.transport = ends[rank].get(),
                                 .shared = shared ? ends[rank].get() : nullptr,
                                 .waited_ns = &waited_ns[rank]};
          const auto late = [&] {
            if (rank == 1) std::this_thread::sleep_for(std::chrono::milliseconds(20));
          };
          EXPECT_EQ(WrongElements(gather, rank, link, late), 0);
        });
      }
      for (std::thread& thread : threads) thread.join();
      EXPECT_GT(waited_ns[1], 0);
      return waited_ns[0] > 10'000'000 && waited_ns[1] < waited_ns[0];
    }));
  }
}

// Whether results are in memory where a rank has computed its rows.
enum class Rows { kCopied, kInPlace, kRounded };

// Runs the kernel of one rank and returns the number of wrong elements of both results. The rank
// has computed all rows, or in place its own ones of memory that it shares; of kRounded the second
// value stays rounded, and the rank has computed its own rows of both.
int WrongRows(int ranks, int rank, int64_t rows, Rows where, const RankLink& link) {
  constexpr int64_t kColumns[] = {64, 257};
  Graph graph;
  GraphBuilder builder(&graph);
  std::vector<Value> values;
  for (int64_t columns : kColumns) {
    values.push_back(graph.AddInput("x", ValueType::F32({rows, columns}))->output());
  }
  Node& node = *ops::AllRows(builder, values, ranks, "");
  if (where == Rows::kRounded) ops::StayRounded(&node, 1, "");
  std::vector<float> memory[2];
  std::vector<Operand> in, out;
  std::vector<std::unique_ptr<Result>> results;
  for (int i = 0; i < 2; ++i) {
    in.push_back(Tensor(memory[i], rows, kColumns[i]));
    results.push_back(std::make_unique<Result>(rows, kColumns[i], link));
    out.push_back(results.back()->operand);
    out[i].tensor.dtype = node.result(i).type.tensor.dtype;
    if (where != Rows::kCopied && out[i].tensor.dtype == DType::kF32) {
      in[i].tensor.data = out[i].tensor.data;
    }
    const bool some = where != Rows::kCopied && link.shared != nullptr;
    const RowShare own = some ? RowsOfRank(rows, rank, ranks) : RowShare{0, rows};
    for (int64_t j = own.begin * kColumns[i]; j < own.end * kColumns[i]; ++j) {
      in[i].tensor.mutable_f32()[j] = ValueAt(j / kColumns[i], j % kColumns[i]);
    }
  }
  for (const CollectiveKernel& kernel : CollectiveKernels()) {
    if (kernel.info.op != &node.op()) continue;
    const absl::Status status =
        kernel.run({.inputs = in, .outputs = out, .attrs = node.attrs()}, link);
    EXPECT_TRUE(status.ok()) << status;
    int wrong = 0;
    for (int i = 0; i < 2; ++i) {
      for (int64_t j = 0; j < rows * kColumns[i]; ++j) {
        wrong += ElementOf(out[i].tensor, j) == ValueAt(j / kColumns[i], j % kColumns[i]) ? 0 : 1;
      }
    }
    return wrong;
  }
  ADD_FAILURE() << "no kernel";
  return -1;
}

// Two rows leave nothing for one of three ranks.
TEST(AllRows, HasTheRowsOfAllRanksSharedOrNot) {
  constexpr int kRanks = 3;
  for (int64_t rows : {2, 200}) {
    for (bool shared : {false, true}) {
      for (Rows where : {Rows::kCopied, Rows::kInPlace, Rows::kRounded}) {
        const std::vector<std::shared_ptr<SharedRanks>> ends = MakeInProcessRanks(kRanks);
        std::vector<std::thread> threads;
        for (int rank = 0; rank < kRanks; ++rank) {
          threads.emplace_back([&, rank] {
            const RankLink link = {
                .transport = ends[rank].get(),
                .shared = shared ? ends[rank].get() : nullptr,
                .parallel_for = [&](int64_t count, const std::function<void(int64_t)>& body) {
                  EXPECT_NE(where, Rows::kInPlace) << "there is nothing to copy";
                  for (int64_t i = count; i-- > 0;) body(i);
                }};
            EXPECT_EQ(WrongRows(kRanks, rank, rows, where, link), 0)
                << rows << " rows, rank " << rank << (shared ? ", shared" : ", sent") << ", "
                << static_cast<int>(where);
          });
        }
        for (std::thread& thread : threads) thread.join();
      }
    }
  }
}

// Terms whose sum depends on the order in which they are added.
float TermAt(int rank, int64_t i) {
  constexpr float kFactors[] = {1e8f, 1.0f, -1e8f};
  return kFactors[rank] * static_cast<float>(i % 13 + 1);
}

struct Shape {
  int64_t rows;
  int64_t columns;
};

// Runs the kernel of one rank and returns the number of elements that are not added in the order of
// the ranks.
int WrongSums(int ranks, int rank, const Shape& shape, const RankLink& link) {
  const auto [rows, columns] = shape;
  Graph graph;
  GraphBuilder builder(&graph);
  Value x = graph.AddInput("x", ValueType::F32({rows, columns}))->output();
  Node* node = ops::AllReduce(builder, x, ranks, "").node;
  std::vector<float> terms;
  const Operand in = Tensor(terms, rows, columns);
  const Result result(rows, columns, link);
  const Operand& out = result.operand;
  for (int64_t i = 0; i < rows * columns; ++i) terms[i] = TermAt(rank, i);
  for (const CollectiveKernel& kernel : CollectiveKernels()) {
    if (kernel.info.op != &node->op()) continue;
    std::vector<std::byte> workspace(kernel.info.workspace_bytes(*node, graph.symbols()));
    const absl::Status status = kernel.run({.inputs = {&in, 1},
                                            .outputs = {&out, 1},
                                            .attrs = node->attrs(),
                                            .workspace = workspace.data()},
                                           link);
    EXPECT_TRUE(status.ok()) << status;
    int wrong = 0;
    for (int64_t i = 0; i < rows * columns; ++i) {
      float expected = TermAt(0, i);
      for (int other = 1; other < ranks; ++other) expected += TermAt(other, i);
      wrong += out.tensor.f32()[i] == expected ? 0 : 1;
    }
    return wrong;
  }
  ADD_FAILURE() << "no kernel";
  return -1;
}

// 200 x 257 elements are not whole shares of three ranks; two leave nothing for the last rank.
TEST(AllReduce, AddsInTheOrderOfTheRanksSharedOrSentWithAnyThreads) {
  constexpr int kRanks = 3;
  for (const Shape& shape : {Shape{1, 2}, Shape{1, 257}, Shape{200, 257}}) {
    for (bool shared : {false, true}) {
      const std::vector<std::shared_ptr<SharedRanks>> ends = MakeInProcessRanks(kRanks);
      std::vector<std::thread> threads;
      std::atomic<int64_t> pieces = 0;
      for (int rank = 0; rank < kRanks; ++rank) {
        threads.emplace_back([&, rank] {
          const std::shared_ptr<Collective> sending = MakeDelayed(ends[rank], {});
          const RankLink link = {
              .transport = shared ? ends[rank].get() : sending.get(),
              .shared = shared ? ends[rank].get() : nullptr,
              .parallel_for = [&](int64_t count, const std::function<void(int64_t)>& body) {
                pieces += count;
                for (int64_t i = count; i-- > 0;) body(i);
              }};
          EXPECT_EQ(WrongSums(kRanks, rank, shape, link), 0)
              << shape.rows << " x " << shape.columns << (shared ? ", shared" : ", sent");
        });
      }
      for (std::thread& thread : threads) thread.join();
      EXPECT_EQ(pieces > 0, shape.rows == 200);
    }
  }
}

}  // namespace
}  // namespace infer
