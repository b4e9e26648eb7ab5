// SPDX-License-Identifier: Apache-2.0
#include "runtime/sharded_weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <vector>

#include "ir/base/strings.h"
#include "ir/ops/attributes.h"
#include "runtime/in_process_ranks.h"
#include "tests/runtime/vector_weights.h"

namespace infer {
namespace {

using test::VectorWeights;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Weights of a Program that reads a part of each.
Weight PartOf(const VectorWeights& source, std::string_view name, WeightSlice slice) {
  const WeightInfo& whole = *source.Find(name);
  Weight weight;
  weight.name = WeightKey(std::string(name), slice);
  weight.type = TypeOf(whole);
  weight.bytes = whole.bytes;
  weight.slice = slice;
  if (slice.parts != 0) {
    weight.type.shape.set_dim(slice.axis, weight.type.dim(slice.axis).value() / slice.parts);
    weight.bytes /= static_cast<uint64_t>(slice.parts);
  }
  return weight;
}

std::vector<float> Numbers(int count) {
  std::vector<float> numbers(static_cast<size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0.0f);
  return numbers;
}

std::vector<float> Floats(std::span<const std::byte> bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

class ShardedWeightsTest : public ::testing::Test {
 protected:
  ShardedWeightsTest() {
    source_.Add("experts", {2, 4, 2}, Numbers(16));
    source_.Add("matrix", {4, 4}, Numbers(16));
    source_.Add("norm", {4}, Numbers(4));
  }

  std::unique_ptr<ShardedWeights> Create(int rank, std::string_view name, WeightSlice slice) {
    program_.weights = {PartOf(source_, name, slice)};
    absl::StatusOr<std::unique_ptr<ShardedWeights>> made =
        ShardedWeights::Create(source_, program_, rank);
    EXPECT_TRUE(made.ok()) << made.status();
    return *std::move(made);
  }

  VectorWeights source_;
  Program program_;
};

TEST_F(ShardedWeightsTest, RowsAreAPartOfTheFile) {
  const auto weights = Create(1, "matrix", {.axis = 0, .parts = 2});
  const WeightInfo& part = weights->weights()[0];
  EXPECT_THAT(part.dims, ElementsAre(2, 4));
  EXPECT_EQ(part.bytes, 32u);
  EXPECT_EQ(part.offset, source_.Find("matrix")->offset + 32);
  EXPECT_THAT(Floats(weights->Data(part)), ElementsAre(8, 9, 10, 11, 12, 13, 14, 15));
  EXPECT_EQ(weights->Data(part).data(), source_.Data(*source_.Find("matrix")).data() + 32);
  EXPECT_THAT(source_.released(), IsEmpty());
}

TEST_F(ShardedWeightsTest, ColumnsAreCopiedUntilTheyAreReleased) {
  const auto weights = Create(1, "matrix", {.axis = 1, .parts = 2});
  const WeightInfo& part = weights->weights()[0];
  EXPECT_THAT(part.dims, ElementsAre(4, 2));
  EXPECT_EQ(weights->DataBytes(part), 32u);
  EXPECT_THAT(Floats(weights->Data(part)), ElementsAre(2, 3, 6, 7, 10, 11, 14, 15));
  EXPECT_THAT(source_.released(), ElementsAre("matrix"));  // the file's pages are not needed
  weights->ReleasePart(weights->Data(part));               // a copy is no part of the file
  weights->Prefetch(weights->Data(part));
  weights->Release(part);
  EXPECT_THAT(Floats(weights->Data(part)), ElementsAre(2, 3, 6, 7, 10, 11, 14, 15));
}

TEST_F(ShardedWeightsTest, RowsOfExpertsAreReadOneExpertAtATime) {
  const auto weights = Create(0, "experts", {.axis = 1, .parts = 2});
  const WeightInfo& part = weights->weights()[0];
  EXPECT_THAT(part.dims, ElementsAre(2, 2, 2));
  EXPECT_THAT(Floats(weights->Matrix(part, 0)), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(Floats(weights->Matrix(part, 1)), ElementsAre(8, 9, 10, 11));
  EXPECT_THAT(source_.released(), IsEmpty());  // nothing was copied
  EXPECT_THAT(Floats(weights->Data(part)), ElementsAre(0, 1, 2, 3, 8, 9, 10, 11));
}

TEST_F(ShardedWeightsTest, ColumnsOfExpertsAreCopied) {
  const auto weights = Create(1, "experts", {.axis = 2, .parts = 2});
  const WeightInfo& part = weights->weights()[0];
  EXPECT_THAT(Floats(weights->Matrix(part, 1)), ElementsAre(9, 11, 13, 15));
}

TEST_F(ShardedWeightsTest, WholeExpertsAreAPartOfTheFile) {
  const auto weights = Create(1, "experts", {.axis = 0, .parts = 2});
  EXPECT_THAT(Floats(weights->Matrix(weights->weights()[0], 0)),
              ElementsAre(8, 9, 10, 11, 12, 13, 14, 15));
}

TEST_F(ShardedWeightsTest, AnUndividedWeightIsWhole) {
  const auto weights = Create(1, "norm", {});
  const WeightInfo* norm = weights->Find("norm");
  ASSERT_NE(norm, nullptr);
  EXPECT_THAT(Floats(weights->Data(*norm)), ElementsAre(0, 1, 2, 3));
  weights->Release(*norm);
  EXPECT_THAT(source_.released(), ElementsAre("norm"));
  EXPECT_EQ(weights->Find("matrix"), nullptr);  // the Program does not read it
}

// The parts of the ranks together are the weight: nothing is missing and nothing is there twice.
TEST_F(ShardedWeightsTest, PartsOfAllRanksAreTheWeight) {
  for (const int32_t axis : {0, 1}) {
    std::vector<float> all;
    for (int rank = 0; rank < 4; ++rank) {
      const auto weights = Create(rank, "matrix", {.axis = axis, .parts = 4});
      for (float value : Floats(weights->Data(weights->weights()[0]))) all.push_back(value);
    }
    std::ranges::sort(all);
    EXPECT_EQ(all, Numbers(16)) << "axis " << axis;
  }
}

// Packed parts are kept in files, which must not be taken for another rank's.
TEST_F(ShardedWeightsTest, HashesDifferByRank) {
  const WeightSlice slice = {.axis = 0, .parts = 2};
  const auto first = Create(0, "matrix", slice);
  const auto second = Create(1, "matrix", slice);
  EXPECT_NE(first->SampleHash(first->weights()[0]), second->SampleHash(second->weights()[0]));
  EXPECT_NE(first->FullHash(first->weights()[0]), second->FullHash(second->weights()[0]));
}

TEST(CheckRanks, WantsAProcessForEachRank) {
  const std::vector<std::shared_ptr<SharedRanks>> three = MakeInProcessRanks(3);
  Program program;
  EXPECT_TRUE(CheckRanks(program, nullptr).ok());
  EXPECT_THAT(CheckRanks(program, three[0].get()).message(),
              HasSubstr("is for one process, but 3 processes run it"));
  program.policy.shard.ranks = 3;
  EXPECT_TRUE(CheckRanks(program, three[0].get()).ok());
  program.policy.shard.ranks = 2;
  EXPECT_THAT(CheckRanks(program, nullptr).message(),
              HasSubstr("is divided over 2 ranks, but 1 process runs it"));
}

TEST_F(ShardedWeightsTest, AnotherModelIsRefused) {
  program_.weights = {PartOf(source_, "matrix", {.axis = 0, .parts = 2})};
  VectorWeights other;
  other.Add("matrix", {8, 4}, Numbers(32));
  absl::Status status = ShardedWeights::Create(other, program_, 0).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_THAT(status.message(), HasSubstr("weight matrix of the model file is not the one"));
  EXPECT_FALSE(ShardedWeights::Create(VectorWeights(), program_, 0).ok());
}

TEST_F(ShardedWeightsTest, AFileThatCannotBeReadIsNoticed) {
  const auto weights = Create(0, "norm", {});
  source_.Fail(absl::DataLossError("truncated"));
  EXPECT_EQ(weights->Check(), absl::DataLossError("truncated"));
}

}  // namespace
}  // namespace infer
