// SPDX-License-Identifier: Apache-2.0
#include "runtime/uploaded_weights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "runtime/pack_jobs.h"
#include "tests/model/loaded_model.h"
#include "tests/support/test_device.h"

namespace infer {
namespace {

using test::LoadedModel;
using test::RegistryWithTestDevice;

class UploadedWeightsTest : public ::testing::Test {
 protected:
  Program CompileWith(std::vector<std::string> place) {
    return model_.Compile(
        {.policy = "reference", .place = std::move(place), .context = 16, .chunk = 4});
  }
  absl::Status Add(UploadedWeights& uploaded, const Program& program, const PieceWork& work = {}) {
    return uploaded.Add(program, model_.registry(), model_.weights(),
                        ReadWholeFromFile(program, model_.registry()), work);
  }

  const TestBackend* device_ = nullptr;
  LoadedModel model_{"random_untied.gguf", RegistryWithTestDevice(TestPace::kEager, &device_)};
};

TEST_F(UploadedWeightsTest, HoldsTheBytesOfTheFileOfWhatIsReadThere) {
  const Program program = CompileWith({"layer=0=test"});
  UploadedWeights uploaded;
  ASSERT_EQ(Add(uploaded, program), absl::OkStatus());
  int there = 0;
  for (const Weight& weight : program.weights) {
    const std::byte* found =
        uploaded.Find(weight.name, std::string(kGgufLayout), device_->memory().get());
    const bool wanted = std::ranges::count(weight.spaces, Device::kTest) > 0;
    ASSERT_EQ(found != nullptr, wanted) << weight.name;
    if (!wanted) continue;
    ++there;
    const auto& memory = static_cast<const TestMemory&>(*device_->memory());
    const std::byte* real = memory.Find(found, weight.bytes);
    const auto expected = model_.weights().Data(*model_.weights().Find(weight.name));
    EXPECT_EQ(std::memcmp(real, expected.data(), weight.bytes), 0) << weight.name;
  }
  EXPECT_GT(there, 5);
  EXPECT_LT(there, std::ssize(program.weights));
  EXPECT_GT(device_->bytes(), 0u);
}

TEST_F(UploadedWeightsTest, ASecondProgramUploadsOnlyWhatIsNew) {
  UploadedWeights uploaded;
  ASSERT_EQ(Add(uploaded, CompileWith({"layer=0=test"})), absl::OkStatus());
  const uint64_t first = device_->bytes();
  ASSERT_EQ(Add(uploaded, CompileWith({"layer=0=test"})), absl::OkStatus());
  EXPECT_EQ(device_->bytes(), first);
  ASSERT_EQ(Add(uploaded, CompileWith({"layer<=1=test"})), absl::OkStatus());
  EXPECT_GT(device_->bytes(), first);
  const uint64_t together = device_->bytes();
  UploadedWeights both;
  ASSERT_EQ(Add(both, CompileWith({"layer<=1=test"})), absl::OkStatus());
  EXPECT_EQ(device_->bytes(), 2 * together) << "nothing was uploaded twice before";
}

TEST_F(UploadedWeightsTest, ReportsItsProgress) {
  UploadedWeights uploaded;
  std::vector<uint64_t> done;
  uint64_t total = 0;
  ASSERT_EQ(Add(uploaded, CompileWith({"layer=0=test"}),
                {.progress =
                     [&](uint64_t now, uint64_t of) {
                       done.push_back(now);
                       total = of;
                     }}),
            absl::OkStatus());
  EXPECT_GT(done.size(), 5u);
  EXPECT_EQ(done.front(), 0u);
  EXPECT_EQ(done.back(), total);
  EXPECT_TRUE(std::ranges::is_sorted(done));
}

TEST_F(UploadedWeightsTest, CanBeStoppedAndBegunAgain) {
  UploadedWeights uploaded;
  std::atomic<bool> stop = false;
  const PieceWork work = {.progress = [&](uint64_t done, uint64_t) { stop = done > 0; },
                          .stop = &stop};
  EXPECT_EQ(Add(uploaded, CompileWith({"layer=0=test"}), work).code(),
            absl::StatusCode::kCancelled);
  EXPECT_EQ(device_->bytes(), 0u);
  EXPECT_EQ(Add(uploaded, CompileWith({"layer=0=test"})), absl::OkStatus());
  EXPECT_GT(device_->bytes(), 0u);
}

TEST_F(UploadedWeightsTest, NothingIsUploadedForTheCpu) {
  UploadedWeights uploaded;
  ASSERT_EQ(Add(uploaded, CompileWith({})), absl::OkStatus());
  EXPECT_EQ(device_->bytes(), 0u);
}

}  // namespace
}  // namespace infer
