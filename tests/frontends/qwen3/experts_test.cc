// SPDX-License-Identifier: Apache-2.0
#include "frontends/qwen3/experts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "frontends/gguf/weights.h"
#include "frontends/qwen3/family.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/text/printer.h"
#include "tests/frontends/qwen3/toy_model.h"

namespace infer {
namespace {

using test::GgufImage;
using test::kTensorI32;
using test::OpenedImage;
using test::Remove;
using test::RemoveTensor;
using test::SetF32;
using test::SetTensor;
using test::SetText;
using test::SetU32;
using test::ToyShape;
using ::testing::HasSubstr;

GgufImage ToyMoe(uint64_t layers = 2) {
  ToyShape shape;
  shape.layers = layers;
  shape.experts = 5;
  shape.experts_used = 3;
  shape.expert_feed_forward = 4;
  return ToyModel(shape);
}

absl::StatusOr<Graph> Lowered(const GgufImage& image) {
  OpenedImage opened(image);
  RETURN_IF_ERROR(kQwen3MoeFamily.read_config(*opened.file).status());
  return kQwen3MoeFamily.lower(*opened.file, GgufWeights(opened.file), {});
}

TEST(Qwen3Experts, ReadsTheNumbers) {
  OpenedImage opened(ToyMoe());
  absl::StatusOr<Qwen3Experts> experts = ReadQwen3Experts(*opened.file);
  ASSERT_TRUE(experts.ok()) << experts.status();
  EXPECT_EQ(experts->count, 5);
  EXPECT_EQ(experts->used, 3);
  EXPECT_EQ(experts->feed_forward, 4);
}

TEST(Qwen3Experts, LowersTheRouterAndTheExperts) {
  absl::StatusOr<Graph> graph = Lowered(ToyMoe());
  ASSERT_TRUE(graph.ok()) << graph.status();
  const std::string text = PrintGraph(*graph);
  EXPECT_THAT(text, HasSubstr("graph @qwen3moe"));
  EXPECT_THAT(text, HasSubstr("route(%layer.1.ffn.router) {k = 3, normed = true} : i32[T,3], "
                              "f32[T,3] in \"layer.1/ffn/route\""));
  EXPECT_THAT(text, HasSubstr("= expert_linear(%layer.1.ffn.norm, %blk.1.ffn_gate_exps.weight"));
  EXPECT_THAT(text, HasSubstr(": f32[T,3,4] in \"layer.1/ffn/gate_proj\""));
  EXPECT_THAT(text, HasSubstr(": f32[T,3,8] in \"layer.1/ffn/down_proj\""));
  EXPECT_THAT(text, HasSubstr(": f32[T,8] in \"layer.1/ffn/combine\""));
}

TEST(Qwen3Experts, AcceptsKeysThatSayWhatQwen3Does) {
  GgufImage image = ToyMoe();
  SetU32(image, "qwen3moe.expert_shared_count", 0);
  SetF32(image, "qwen3moe.expert_weights_scale", 1.0f);
  image.Set("qwen3moe.expert_weights_norm", test::kTypeBool, test::U8(1));
  EXPECT_TRUE(Lowered(image).ok());
}

struct Defect {
  std::string name;
  std::function<void(GgufImage&)> damage;
  std::string message;
};

// What can be wrong with each number.
void AddKeyDefects(std::vector<Defect>* defects) {
  struct Key {
    std::string name;
    std::string range;
  };
  for (const Key& key : {Key{"expert_count", "expected 1 to 1024 experts"},
                         {"expert_used_count", "expected 1 to 5, the number of experts"},
                         {"expert_feed_forward_length", "expected 1 to 4194304"}}) {
    const std::string full = StrCat("qwen3moe.", key.name);
    auto add = [&](const char* what, std::function<void(GgufImage&)> damage, std::string message) {
      defects->push_back({StrCat(key.name, "_", what), std::move(damage), std::move(message)});
    };
    add(
        "missing", [full](GgufImage& m) { Remove(m, full); },
        StrCat("key \"", full, "\" is missing"));
    add("zero", [full](GgufImage& m) { SetU32(m, full, 0); }, StrCat("is 0, ", key.range));
    add(
        "huge", [full](GgufImage& m) { SetU32(m, full, ~0u); },
        StrCat("is 4294967295, ", key.range));
    add("text", [full](GgufImage& m) { SetText(m, full, "3"); }, "has type string");
    add("float", [full](GgufImage& m) { SetF32(m, full, 3); }, "has type f");
  }
}

// What can be wrong with each tensor. `dims` are those that it should have.
void AddTensorDefects(std::vector<Defect>* defects) {
  struct Tensor {
    std::string name;
    std::vector<uint64_t> dims;
    std::string shape;
  };
  for (const Tensor& tensor : {Tensor{"ffn_gate_inp", {8, 5}, "[5,8]"},
                               {"ffn_gate_exps", {8, 4, 5}, "[5,4,8]"},
                               {"ffn_up_exps", {8, 4, 5}, "[5,4,8]"},
                               {"ffn_down_exps", {4, 8, 5}, "[5,8,4]"}}) {
    const std::string full = StrCat("blk.1.", tensor.name, ".weight");
    auto add = [&](const char* what, std::vector<uint64_t> dims, std::string message = "",
                   uint32_t type = test::kTensorF32) {
      if (message.empty()) message = StrCat("the metadata asks for ", tensor.shape);
      defects->push_back({StrCat(tensor.name, "_", what),
                          [full, dims, type](GgufImage& m) { SetTensor(m, full, dims, type); },
                          std::move(message)});
    };
    defects->push_back({StrCat(tensor.name, "_missing"),
                        [full](GgufImage& m) { RemoveTensor(m, full); },
                        StrCat("tensor ", full, " is missing; expected shape ", tensor.shape)});
    std::vector<uint64_t> dims = tensor.dims;
    add("more_experts", [&] {
      auto d = dims;
      ++d.back();
      return d;
    }());
    add("fewer_experts", [&] {
      auto d = dims;
      --d.back();
      return d;
    }());
    add("other_columns", [&] {
      auto d = dims;
      d[0] += 4;
      return d;
    }());
    add("one_row", {dims[0]});
    add("reversed", {dims.rbegin(), dims.rend()});
    add("another_axis", [&] {
      auto d = dims;
      d.push_back(2);
      return d;
    }());
    add("integers", dims, "is of type i32, expected f32, f16, bf16 or a quantised type",
        kTensorI32);
  }
  defects->push_back({"gate_exps_of_one_expert",
                      [](GgufImage& m) { SetTensor(m, "blk.0.ffn_gate_exps.weight", {8, 4}); },
                      "the metadata asks for [5,4,8]"});
  defects->push_back({"up_exps_of_another_width",
                      [](GgufImage& m) { SetTensor(m, "blk.0.ffn_up_exps.weight", {8, 6, 5}); },
                      "has shape [5,6,8], the metadata asks for [5,4,8]"});
}

void AddTensor(GgufImage& image, const std::string& name, std::vector<uint64_t> dims) {
  uint64_t elements = 1;
  for (uint64_t dim : dims) elements *= dim;
  image.AddTensor(name, std::move(dims), test::kTensorF32, std::string(elements * 4, '\0'));
}

// Models of other kinds.
void AddForeignModels(std::vector<Defect>* defects) {
  auto extra = [&](const char* tensor, std::vector<uint64_t> dims) {
    defects->push_back(
        {StrCat("extra_", tensor),
         [tensor, dims](GgufImage& m) { AddTensor(m, StrCat("blk.0.", tensor), dims); },
         StrCat("tensor blk.0.", tensor, " is not part of a Qwen3 MoE")});
  };
  extra("ffn_gate.weight", {8, 10});
  extra("ffn_gate_shexp.weight", {8, 10});
  extra("ffn_gate_inp_shexp.weight", {8});
  extra("exp_probs_b.bias", {5});
  extra("ffn_gate_inp.bias", {5});
  extra("ffn_gate_exps.bias", {4, 5});
  extra("ffn_gate.0.weight", {8, 4});  // one tensor for each expert, as old files have
  auto number = [&](const char* key, uint32_t value) {
    defects->push_back({key,
                        [key, value](GgufImage& m) { SetU32(m, StrCat("qwen3moe.", key), value); },
                        StrCat("is ", value, ", expected 0: a Qwen3 MoE has experts of one kind")});
  };
  number("expert_shared_count", 1);
  number("expert_shared_feed_forward_length", 16);
  number("expert_group_count", 4);
  number("expert_group_used_count", 2);
  number("leading_dense_block_count", 1);
  defects->push_back({"used_more_than_available",
                      [](GgufImage& m) { SetU32(m, "qwen3moe.expert_used_count", 6); },
                      "is 6, expected 1 to 5, the number of experts"});
  defects->push_back(
      {"weights_not_normed",
       [](GgufImage& m) { m.Set("qwen3moe.expert_weights_norm", test::kTypeBool, test::U8(0)); },
       "normed to sum 1"});
  defects->push_back({"weights_scaled",
                      [](GgufImage& m) { SetF32(m, "qwen3moe.expert_weights_scale", 2.5f); },
                      "is 2.5, expected 1"});
  defects->push_back({"weights_scaled_by_nan",
                      [](GgufImage& m) {
                        SetF32(m, "qwen3moe.expert_weights_scale",
                               std::numeric_limits<float>::quiet_NaN());
                      },
                      "is nan, expected 1"});
  defects->push_back({"merged_gate_and_up",
                      [](GgufImage& m) {
                        RemoveTensor(m, "blk.0.ffn_gate_exps.weight");
                        RemoveTensor(m, "blk.0.ffn_up_exps.weight");
                        AddTensor(m, "blk.0.ffn_gate_up_exps.weight", {8, 8, 5});
                      },
                      "blk.0.ffn_gate_up_exps.weight joins the gate and up matrices"});
  defects->push_back({"dense_tensors",
                      [](GgufImage& m) {
                        for (const char* name : {"gate_inp", "gate_exps", "up_exps", "down_exps"}) {
                          RemoveTensor(m, StrCat("blk.0.ffn_", name, ".weight"));
                        }
                        AddTensor(m, "blk.0.ffn_gate.weight", {8, 10});
                      },
                      "tensor blk.0.ffn_gate_inp.weight is missing"});
  defects->push_back({"a_layer_more", [](GgufImage& m) { SetU32(m, "qwen3moe.block_count", 3); },
                      "tensor blk.2.attn_norm.weight is missing"});
  defects->push_back({"a_layer_less", [](GgufImage& m) { SetU32(m, "qwen3moe.block_count", 1); },
                      "is not part of a Qwen3 MoE of this many layers"});
  defects->push_back({"other_hidden",
                      [](GgufImage& m) { SetU32(m, "qwen3moe.embedding_length", 16); },
                      "the metadata asks for"});
}

std::vector<Defect> Defects() {
  std::vector<Defect> defects;
  AddKeyDefects(&defects);
  AddTensorDefects(&defects);
  AddForeignModels(&defects);
  return defects;
}

TEST(Qwen3Experts, RefusesWhatIsNotAQwen3MoeWithTheCause) {
  const std::vector<Defect> defects = Defects();
  EXPECT_GE(defects.size(), 60u);
  for (const Defect& defect : defects) {
    GgufImage image = ToyMoe();
    defect.damage(image);
    const absl::Status status = Lowered(image).status();
    EXPECT_FALSE(status.ok()) << defect.name;
    EXPECT_THAT(std::string(status.message()), HasSubstr(defect.message)) << defect.name;
    EXPECT_THAT(std::string(status.message()), HasSubstr("toy.gguf")) << defect.name;
  }
}

}  // namespace
}  // namespace infer
