// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace infer {

// An array without duplicates. Layers repeat, so descriptions of nodes are kept in such tables and
// referred to by position.
class JsonTable {
 public:
  size_t Add(nlohmann::ordered_json value) {
    auto [it, is_new] = positions_.try_emplace(value.dump(), values_.size());
    if (is_new) values_.push_back(std::move(value));
    return it->second;
  }
  nlohmann::ordered_json Take() { return std::move(values_); }

 private:
  nlohmann::ordered_json values_ = nlohmann::ordered_json::array();
  std::map<std::string, size_t> positions_;
};

}  // namespace infer
