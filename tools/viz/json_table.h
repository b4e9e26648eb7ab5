// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>

#include "ir/base/json.h"

namespace infer {

// An array without duplicates. Layers repeat, so descriptions of nodes are kept in such tables and
// referred to by position.
class JsonTable {
 public:
  size_t Add(Json value) {
    auto [it, is_new] = positions_.try_emplace(JsonText(value), values_.size());
    if (is_new) values_.push_back(std::move(value));
    return it->second;
  }
  Json Take() { return std::move(values_); }

 private:
  Json values_ = Json::array();
  std::map<std::string, size_t> positions_;
};

}  // namespace infer
