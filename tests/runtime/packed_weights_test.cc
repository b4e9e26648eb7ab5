// SPDX-License-Identifier: Apache-2.0
#include "runtime/packed_weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "ir/base/strings.h"
#include "ir/text/parser.h"
#include "runtime/executable.h"
#include "runtime/executor.h"
#include "runtime/file_stamps.h"
#include "runtime/pack_jobs.h"
#include "tests/runtime/tiny_program.h"
#include "tests/support/loaded_program.h"

namespace infer {
namespace {

using test::TinyProgram;
using test::TinyWeights;
using test::VectorWeights;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Rows with their columns in reverse order, one row a panel.
constexpr std::string_view kReversed = "reversed_test";

void PackReversed(const std::byte* rows, int64_t, int64_t columns, int64_t begin, int64_t end,
                  std::byte* packed) {
  for (int64_t i = begin * columns; i < end * columns; ++i) {
    const int64_t from = i / columns * columns + columns - 1 - i % columns;
    std::memcpy(packed + 4 * i, rows + 4 * from, 4);
  }
}

void LinearOfReversed(const KernelArgs& args, int64_t begin, int64_t end) {
  const TensorView& x = args.in(0);
  const TensorView& w = args.in(1);
  for (int64_t n = begin; n < end; ++n) {
    for (int64_t t = 0; t < x.rows(); ++t) {
      float sum = 0;
      for (int64_t i = 0; i < x.columns(); ++i) {
        sum += x.f32()[t * x.columns() + i] * w.f32()[n * x.columns() + x.columns() - 1 - i];
      }
      args.out().mutable_f32()[t * args.out().columns() + n] = sum;
    }
  }
}

#if defined(__linux__)
void LimitFurtherMemory(uint64_t bytes) {
  std::ifstream statm("/proc/self/statm");
  uint64_t pages = 0;
  statm >> pages;
  const rlim_t limit = pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) + bytes;
  const rlimit limits = {limit, limit};
  ASSERT_EQ(setrlimit(RLIMIT_AS, &limits), 0);
}
#endif

class PackedWeightsTest : public ::testing::Test {
 protected:
  PackedWeightsTest() : kernels_(test::ScalarKernelsExcept("")), weights_(TinyWeights()) {
    CpuKernel& linear = test::KernelNamed(kernels_, "linear_f32_scalar");
    linear.run = LinearOfReversed;
    linear.info.weight_layout = [](const Node&, int) { return kReversed; };
    layout_.name = kReversed;
    layout_.variant = "1";
    layout_.bytes = [](int64_t rows, int64_t columns) -> uint64_t { return 4 * rows * columns; };
    layout_.pack = PackReversed;
    registry_ = test::RegistryOf(kernels_, {&layout_, 1});
  }

  // The weights of the tiny program, or why not.
  absl::StatusOr<std::unique_ptr<PackedWeights>> Pack(const PackOptions& options = {}) {
    return PackFor(TinyProgram(weights_, *registry_), weights_, options);
  }
  absl::StatusOr<std::unique_ptr<PackedWeights>> PackFor(const Program& program,
                                                         const VectorWeights& weights,
                                                         const PackOptions& options = {}) {
    auto packed = std::make_unique<PackedWeights>(weights);
    RETURN_IF_ERROR(packed->Add(program, *registry_, options));
    return packed;
  }
  PackOptions WithCache() {
    PackOptions options;
    // One for each case: cases run at the same time.
    options.cache_path = ::testing::TempDir() + "/" +
                         ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".pack";
    options.warn = [this](const std::string& message) { warnings_.push_back(message); };
    return options;
  }

  std::vector<CpuKernel> kernels_;
  WeightLayout layout_;
  VectorWeights weights_;
  std::unique_ptr<KernelRegistry> registry_;
  std::vector<std::string> warnings_;
};

TEST_F(PackedWeightsTest, ProgramNamesTheLayout) {
  Program program = TinyProgram(weights_, *registry_);
  EXPECT_THAT(program.weights[0].layouts, ElementsAre(kReversed));  // output
  EXPECT_THAT(program.weights[1].layouts, ElementsAre("gguf"));     // table
  EXPECT_EQ(PackedBytes(program.weights[0], std::string(kReversed), *registry_), 48u);
  EXPECT_EQ(PackedBytes(program.weights[1], "gguf", *registry_), std::nullopt);
}

TEST_F(PackedWeightsTest, HoldsTheWeightInItsLayout) {
  absl::StatusOr<std::unique_ptr<PackedWeights>> packed = Pack();
  ASSERT_TRUE(packed.ok()) << packed.status();
  const std::byte* data = (*packed)->Find("output", std::string(kReversed));
  ASSERT_NE(data, nullptr);
  float row0[4];
  std::memcpy(row0, data, sizeof(row0));
  EXPECT_THAT(row0, ElementsAre(0, 0, 0, 1));
  EXPECT_EQ((*packed)->Find("table", std::string(kReversed)), nullptr);
  EXPECT_EQ((*packed)->Find("output", "gguf"), nullptr);
}

TEST_F(PackedWeightsTest, GivesBackThePagesOfWhatItPacked) {
  ASSERT_TRUE(Pack().ok());
  EXPECT_THAT(weights_.released(), ElementsAre("output"));
}

TEST_F(PackedWeightsTest, GivesBackRowsOfPackedWeightsAgain) {
  Program program = TinyProgram(weights_, *registry_);
  program.weights[1].layouts.emplace_back(kReversed);  // table, whose rows embed reads
  absl::StatusOr<std::unique_ptr<PackedWeights>> packed = PackFor(program, weights_);
  ASSERT_TRUE(packed.ok());
  EXPECT_THAT(weights_.released(), ElementsAre("table", "output")) << "the largest first";
  (*packed)->RowsRead(1);  // the weights are tiny, so that one row is enough
  EXPECT_THAT(weights_.released(), ElementsAre("table", "output", "table"));
}

TEST_F(PackedWeightsTest, CountsPackedBytesInsteadOfMappedOnes) {
  Program program = TinyProgram(weights_, *registry_);
  const std::string reversed(kReversed);
  EXPECT_EQ(WeightBytesByLayout(program, *registry_),
            (std::map<std::string, uint64_t>{{reversed, 48}, {"gguf", 128}}));
  program.weights[1].layouts.push_back(reversed);
  EXPECT_EQ(WeightBytesByLayout(program, *registry_),
            (std::map<std::string, uint64_t>{{reversed, 176}}))
      << "embed reads single rows";
  layout_.pack = nullptr;
  EXPECT_EQ(WeightBytesByLayout(program, *registry_),
            (std::map<std::string, uint64_t>{{"gguf", 176}}));
}

TEST_F(PackedWeightsTest, AnUnpackedLayoutIsReadFromTheFile) {
  layout_.pack = nullptr;
  absl::StatusOr<std::unique_ptr<PackedWeights>> packed = Pack();
  ASSERT_TRUE(packed.ok());
  EXPECT_EQ((*packed)->bytes(), 0u);
  EXPECT_EQ((*packed)->Find("output", std::string(kReversed)), nullptr);
}

TEST_F(PackedWeightsTest, KernelsReadThePackedWeight) {
  auto loaded =
      test::LoadedProgram::Create(TinyProgram(weights_, *registry_), weights_, *registry_);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  Executor& executor = (*loaded)->executor();
  const std::vector<int32_t> tokens = {3};
  const int32_t row = 0;
  Batch batch;
  batch.out_rows = {&row, 1};
  const std::span<const std::byte> inputs[] = {std::as_bytes(std::span(tokens)), {}};
  ASSERT_TRUE(executor.Run({1, 1, 1}, inputs, batch, {}).ok());
  const TensorView& logits = executor.result(0);
  EXPECT_THAT(std::vector(logits.f32(), logits.f32() + 3), ElementsAre(60, 62, 64));
}

#if defined(__linux__)
// Either of the two would fit. Sanitizers take memory of their own, which a limit would refuse too.
TEST_F(PackedWeightsTest, TakesTheMemoryOfAllWeightsOrOfNone) {
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  GTEST_SKIP() << "a limit of memory and a sanitizer";
#endif
#endif
  layout_.bytes = [](int64_t, int64_t) -> uint64_t { return 64 << 20; };
  Program program = TinyProgram(weights_, *registry_);
  program.weights[1].layouts.emplace_back(kReversed);
  EXPECT_EXIT(
      {
        LimitFurtherMemory(96 << 20);
        const absl::Status status = PackFor(program, weights_).status();
        const bool is_refused = absl::IsResourceExhausted(status) && weights_.released().empty();
        std::_Exit(is_refused ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}
#endif

TEST_F(PackedWeightsTest, ReportsProgressToTheEnd) {
  std::vector<uint64_t> done;
  PackOptions options;
  options.work.progress = [&](uint64_t bytes, uint64_t total) {
    done.push_back(bytes);
    EXPECT_EQ(total, 48u);
  };
  ASSERT_TRUE(Pack(options).ok());
  EXPECT_THAT(done, ElementsAre(0, 48));
}

TEST_F(PackedWeightsTest, StopsWhenToldAndKeepsNoCache) {
  std::filesystem::remove(WithCache().cache_path);
  const std::atomic<bool> stop{true};
  PackOptions options = WithCache();
  options.work.stop = &stop;
  EXPECT_EQ(Pack(options).status().code(), absl::StatusCode::kCancelled);
  EXPECT_FALSE(std::filesystem::exists(options.cache_path));
}

TEST_F(PackedWeightsTest, AFileThatCannotBeReadIsAnError) {
  weights_.Fail(absl::DataLossError("cut short"));
  EXPECT_EQ(Pack().status().code(), absl::StatusCode::kDataLoss);
}

TEST_F(PackedWeightsTest, TheCacheSparesPacking) {
  std::filesystem::remove(WithCache().cache_path);
  ASSERT_TRUE(Pack(WithCache()).ok());
  layout_.pack = [](const std::byte*, int64_t, int64_t, int64_t, int64_t, std::byte*) {
    FAIL() << "packed again";
  };
  const size_t released = weights_.released().size();
  absl::StatusOr<std::unique_ptr<PackedWeights>> packed = Pack(WithCache());
  ASSERT_TRUE(packed.ok());
  EXPECT_EQ((*packed)->read_from(), WithCache().cache_path);
  EXPECT_EQ(weights_.released().size(), released + 1) << "what hashing has read";
  float row0[4];
  std::memcpy(row0, (*packed)->Find("output", std::string(kReversed)), sizeof(row0));
  EXPECT_THAT(row0, ElementsAre(0, 0, 0, 1));
  EXPECT_THAT(warnings_, ElementsAre());
}

// Policies cut a graph in different ways, and weights lie in the order of use.
TEST_F(PackedWeightsTest, ProgramsThatReadInAnotherOrderShareTheCache) {
  VectorWeights weights;
  for (const char* name : {"a", "b", "c"}) {
    weights.Add(name, {2, 2}, {float(name[0]), 1, 2, 3});
  }
  weights.Add("big", {4, 2}, std::vector<float>(8, 9));
  auto program_of = [&](std::string_view nodes) {
    Program program;
    for (const char* name : {"a", "b", "big", "c"}) {
      Weight& weight = program.weights.emplace_back();
      weight.name = name;
      weight.type = TypeOf(*weights.Find(name));
      weight.bytes = *BytesAt(weight.type, {});
      weight.layouts = {std::string(kReversed)};
    }
    absl::StatusOr<Graph> graph = ParseGraph(StrCat(R"(
        graph @g stage(bound) symbols(T = 1..1) (%x: f32[T,2]) {
          %a = weight() {name = "a"} : f32[2,2]
          %b = weight() {name = "b"} : f32[2,2]
          %c = weight() {name = "c"} : f32[2,2])",
                                                    nodes, "return %y, %z, %w }"));
    EXPECT_TRUE(graph.ok()) << graph.status();
    program.regimes.push_back({1, 1, *std::move(graph)});
    return program;
  };
  std::filesystem::remove(WithCache().cache_path);
  const Program forwards = program_of(R"(
      %y = linear(%x, %a) : f32[T,2]
      %z = linear(%x, %b) : f32[T,2]
      %w = linear(%x, %c) : f32[T,2] )");
  const Program backwards = program_of(R"(
      %y = linear(%x, %c) : f32[T,2]
      %z = linear(%x, %b) : f32[T,2]
      %w = linear(%x, %a) : f32[T,2] )");
  auto first = PackFor(forwards, weights, WithCache());
  auto second = PackFor(backwards, weights, WithCache());
  ASSERT_TRUE(first.ok() && second.ok()) << first.status() << second.status();
  EXPECT_EQ((*first)->read_from(), "");
  EXPECT_EQ((*second)->read_from(), WithCache().cache_path);
  EXPECT_THAT(warnings_, ElementsAre());
  const std::string layout(kReversed);
  for (const char* name : {"a", "b", "c"}) {
    float row[2];
    std::memcpy(row, (*second)->Find(name, layout), sizeof(row));
    EXPECT_THAT(row, ElementsAre(1, float(name[0])));
  }
  EXPECT_LT((*first)->Find("a", layout), (*first)->Find("c", layout)) << "in the order of use";
  EXPECT_LT((*second)->Find("c", layout), (*second)->Find("a", layout));
}

TEST_F(PackedWeightsTest, ADamagedCacheIsReportedAndReplaced) {
  std::filesystem::remove(WithCache().cache_path);
  ASSERT_TRUE(Pack(WithCache()).ok());
  std::ofstream(WithCache().cache_path, std::ios::app) << "x";
  ASSERT_TRUE(Pack(WithCache()).ok());
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("packing again")));
  ASSERT_TRUE(Pack(WithCache()).ok());
  EXPECT_EQ(warnings_.size(), 1u);
}

TEST_F(PackedWeightsTest, AnotherPackerOrModelMakesTheCacheStale) {
  std::filesystem::remove(WithCache().cache_path);
  ASSERT_TRUE(Pack(WithCache()).ok());
  layout_.variant = "2";
  ASSERT_TRUE(Pack(WithCache()).ok());
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("another model, CPU level or version")));
}

// A change outside the pages that are sampled.
TEST_F(PackedWeightsTest, AModelThatWasWrittenSinceIsPackedAgain) {
  std::filesystem::remove(WithCache().cache_path);
  weights_.SetSampleHash(5);
  ASSERT_TRUE(Pack(WithCache()).ok());
  weights_.SetValue("output", 3, 7);
  weights_.SetStamp({.bytes = 1, .inode = 2, .modified_ns = 3, .changed_ns = 5});
  for (const std::string& from : {std::string(), WithCache().cache_path}) {
    absl::StatusOr<std::unique_ptr<PackedWeights>> packed = Pack(WithCache());
    ASSERT_TRUE(packed.ok());
    EXPECT_EQ((*packed)->read_from(), from);
    float row0[4];
    std::memcpy(row0, (*packed)->Find("output", std::string(kReversed)), sizeof(row0));
    EXPECT_THAT(row0, ElementsAre(7, 0, 0, 1));
  }
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("changed, copied or moved since; packing again")));
}

// The hash taken while packing says that the bytes on disk are right.
TEST_F(PackedWeightsTest, ATouchedModelIsPackedAgainButNotStoredAgain) {
  const std::string path = WithCache().cache_path;
  std::filesystem::remove(path);
  ASSERT_TRUE(Pack(WithCache()).ok());
  const std::string kept = path + ".kept";
  std::filesystem::remove(kept);
  std::filesystem::create_hard_link(path, kept);
  weights_.SetStamp({.bytes = 1, .inode = 3, .modified_ns = 3, .changed_ns = 4});
  ASSERT_TRUE(Pack(WithCache()).ok());
  EXPECT_EQ(warnings_.size(), 1u);
  EXPECT_TRUE(std::filesystem::equivalent(path, kept)) << "was written again";
  absl::StatusOr<std::unique_ptr<PackedWeights>> packed = Pack(WithCache());
  ASSERT_TRUE(packed.ok());
  EXPECT_EQ((*packed)->read_from(), path);
}

// A second write within one step of the clock would leave the same times. A minute ahead, so that
// it was written just before however long this test takes.
TEST_F(PackedWeightsTest, AModelThatWasJustWrittenIsNotTrustedTheNextTime) {
  std::filesystem::remove(WithCache().cache_path);
  constexpr int64_t kMinute = 60'000'000'000;
  weights_.SetStamp(
      {.bytes = 1, .inode = 2, .modified_ns = 3, .changed_ns = FileClockNow() + kMinute});
  ASSERT_TRUE(Pack(WithCache()).ok());
  absl::StatusOr<std::unique_ptr<PackedWeights>> packed = Pack(WithCache());
  ASSERT_TRUE(packed.ok());
  EXPECT_EQ((*packed)->read_from(), "");
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("right after the model was written")));
}

TEST_F(PackedWeightsTest, StopsAtOnce) {
  std::filesystem::remove(WithCache().cache_path);
  std::atomic<bool> stop = true;
  PackOptions options = WithCache();
  options.work.stop = &stop;
  EXPECT_EQ(Pack(options).status().code(), absl::StatusCode::kCancelled);
  EXPECT_THAT(weights_.released(), ElementsAre("output")) << "only what the key has read";
  stop = false;
  ASSERT_TRUE(Pack(options).ok());
  stop = true;
  EXPECT_EQ(Pack(options).status().code(), absl::StatusCode::kCancelled)
      << "while reading the file";
}

TEST_F(PackedWeightsTest, ACacheThatCannotBeWrittenStopsNothing) {
  PackOptions options = WithCache();
  options.cache_path = "/no/such/folder/tiny.pack";
  ASSERT_TRUE(Pack(options).ok());
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("packed weights are not kept")));
}

}  // namespace
}  // namespace infer
