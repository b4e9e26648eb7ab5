// SPDX-License-Identifier: Apache-2.0
#include "tests/model/reference_data.h"

#include <fstream>
#include <iterator>
#include <stdexcept>

namespace infer::test {
namespace {

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

ReferenceData::ReferenceData(const std::string& name) {
  const std::string folder = INFER_TEST_DATA "/reference/";
  json_ = nlohmann::json::parse(ReadFile(folder + name + ".json"));
  model_ = json_.at("model");
  for (const nlohmann::json& prompt : json_.value("prompts", nlohmann::json::array())) {
    prompts_.push_back({prompt.value("name", std::to_string(prompts_.size())), prompt.at("ids"),
                        prompt.value("greedy_ids", std::vector<int32_t>())});
  }
  std::string bytes = ReadFile(folder + std::string(json_.at("bin")));
  floats_.resize(bytes.size() / sizeof(float));
  bytes.copy(reinterpret_cast<char*>(floats_.data()), floats_.size() * sizeof(float));
}

std::span<const float> ReferenceData::Array(const std::string& name) const {
  auto found = json_.at("arrays").find(name);
  if (found == json_.at("arrays").end()) return {};
  size_t count = 1;
  for (const nlohmann::json& dim : found->at("shape")) count *= dim.get<size_t>();
  return std::span(floats_).subspan(found->at("offset").get<size_t>(), count);
}

}  // namespace infer::test
