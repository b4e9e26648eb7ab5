// SPDX-License-Identifier: Apache-2.0
//
// What a second Session of a model costs: its cache and the memory of its calls, but no weights.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backends/cpu/cpu_backend.h"
#include "backends/scalar/kernels.h"
#include "runtime/session.h"
#include "tests/model/loaded_model.h"

#ifndef __has_feature
#define __has_feature(feature) 0
#endif

namespace infer {
namespace {

#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer) || \
    defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
constexpr bool kSanitizerUsesMemoryToo = true;
#else
constexpr bool kSanitizerUsesMemoryToo = false;
#endif

// Pages of this process that no file backs; nullopt where the system does not tell.
std::optional<int64_t> AnonymousBytes() {
  std::ifstream file("/proc/self/smaps_rollup");
  for (std::string word; file >> word;) {
    if (word != "Anonymous:") continue;
    int64_t kilobytes = 0;
    file >> kilobytes;
    return kilobytes * 1024;
  }
  return std::nullopt;
}

// The scalar kernels, which read q8_0 weights from a packed copy, on any CPU.
constexpr std::string_view kCopied = "copied_test";

void PackCopy(const std::byte* rows, int64_t, int64_t columns, int64_t begin, int64_t end,
              std::byte* packed) {
  const uint64_t row_bytes = static_cast<uint64_t>(columns) / 32 * 34;
  std::memcpy(packed + begin * row_bytes, rows + begin * row_bytes, (end - begin) * row_bytes);
}

class SecondSessionTest : public ::testing::Test {
 protected:
  SecondSessionTest() {
    const std::span<const CpuKernel> scalar = ScalarKernels();
    kernels_.assign(scalar.begin(), scalar.end());
    for (CpuKernel& kernel : kernels_) {
      if (kernel.info.name != "linear_q8_0_scalar") continue;
      kernel.info.weight_layout = [](const Node&, int input) {
        return input == 1 ? kCopied : kGgufLayout;
      };
    }
    layout_.name = kCopied;
    layout_.variant = "1";
    layout_.bytes = [](int64_t rows, int64_t columns) -> uint64_t {
      return static_cast<uint64_t>(rows * columns / 32 * 34);
    };
    layout_.pack = PackCopy;
  }

  std::unique_ptr<KernelRegistry> Registry() const {
    const std::span<const CpuKernel> tables[] = {kernels_};
    CpuBackendOptions options;
    options.layouts = {&layout_, 1};
    std::vector<std::unique_ptr<Backend>> backends;
    backends.push_back(std::make_unique<CpuBackend>(tables, std::move(options)));
    return std::make_unique<KernelRegistry>(std::move(backends));
  }

  std::vector<CpuKernel> kernels_;
  WeightLayout layout_;
};

TEST_F(SecondSessionTest, CostsItsCacheAndArenaOnly) {
  if (kSanitizerUsesMemoryToo) GTEST_SKIP() << "a sanitizer's own memory is counted with it";
  if (!AnonymousBytes()) GTEST_SKIP() << "the system does not count the pages of a process";
  const test::LoadedModel model("", Registry());
  const EngineOptions options = {.context = 128};
  const auto program = std::make_shared<const Program>(
      model.Compile({.policy = "scalar", .context = 128, .chunk = 16}));
  PackedWeights weights(model.weights());
  struct Held {
    std::shared_ptr<const Executable> executable;
    std::unique_ptr<Session> session;
  };
  std::array<Held, 2> held;
  std::array<int64_t, 2> cost;
  for (size_t i = 0; i < held.size(); ++i) {
    const int64_t before = *AnonymousBytes();
    auto executable = Executable::Create(program, weights, model.registry());
    ASSERT_TRUE(executable.ok()) << executable.status();
    held[i].executable = *std::move(executable);
    auto engine = Engine::Create(held[i].executable, options);
    ASSERT_TRUE(engine.ok()) << engine.status();
    auto session = Session::Create(*std::move(engine));
    ASSERT_TRUE(session.ok()) << session.status();
    held[i].session = *std::move(session);
    ASSERT_TRUE(held[i].session->Prefill(std::vector<int32_t>(40, 5)).ok());
    cost[i] = *AnonymousBytes() - before;
  }
  EXPECT_EQ(test::LogitsOf(*held[0].session), test::LogitsOf(*held[1].session));

  const Executable::ArenaBytes& arena = held[1].executable->arena_bytes(Device::kCpu);
  const auto own = static_cast<int64_t>(*PredictCacheBytes(*program, options) + arena.values +
                                        arena.scratch_of_thread);
  const auto packed = static_cast<int64_t>(weights.bytes());
  constexpr int64_t kBookkeeping = 1 << 20;  // bound kernels, operands, pages that are partly used
  ASSERT_GT(packed, 2 * (own + kBookkeeping)) << "packing twice would not be seen";
  EXPECT_GT(cost[0], packed);
  EXPECT_LT(cost[1], own + kBookkeeping) << "the first cost " << cost[0];
  RecordProperty("first_bytes", std::to_string(cost[0]));
  RecordProperty("second_bytes", std::to_string(cost[1]));
  RecordProperty("packed_bytes", std::to_string(packed));
}

}  // namespace
}  // namespace infer
