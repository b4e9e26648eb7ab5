// SPDX-License-Identifier: Apache-2.0
//
// What Hugging Face's code computed, from tests/data/reference: its README's layout is a JSON index
// of float32 arrays in a .bin file.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

namespace infer::test {

struct ReferencePrompt {
  std::string name;  // its number if it has none
  std::vector<int32_t> ids;
  std::vector<int32_t> greedy_ids;  // empty if not given
};

class ReferenceData {
 public:
  // `name` without extension. Throws if the files are not there: they are part of the tests.
  explicit ReferenceData(const std::string& name);

  const std::string& model() const { return model_; }
  const std::vector<ReferencePrompt>& prompts() const { return prompts_; }
  const nlohmann::json& json() const { return json_; }
  // Empty if there is no such array.
  std::span<const float> Array(const std::string& name) const;

 private:
  nlohmann::json json_;
  std::string model_;
  std::vector<ReferencePrompt> prompts_;
  std::vector<float> floats_;
};

}  // namespace infer::test
