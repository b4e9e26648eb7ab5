// SPDX-License-Identifier: Apache-2.0
#include "frontends/grammar/schema_values.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "ir/base/json.h"

namespace infer {
namespace {

std::string NumberText(const Json& value) {
  if (!value.is_number_float()) return JsonText(value);
  const double number = value.get<double>();
  // Whole numbers that integers of 64 bits have are written as those are.
  constexpr double kEnd = 18446744073709551616.0;  // 2^64
  if (number != std::floor(number) || number < -kEnd / 2 || number >= kEnd) return JsonText(value);
  return number < 0 ? std::to_string(static_cast<int64_t>(number))
                    : std::to_string(static_cast<uint64_t>(number));
}

void AppendId(uint32_t id, std::string* text) {
  text->append(reinterpret_cast<const char*>(&id), sizeof(id));
}

}  // namespace

uint32_t SchemaValues::IdOf(const Json& value) {
  if (const auto known = ids_.find(&value); known != ids_.end()) return known->second;
  // Lists and objects are written as the numbers of their parts.
  std::string text;
  if (value.is_array()) {
    text = "[";
    for (const Json& item : value) AppendId(IdOf(item), &text);
  } else if (value.is_object()) {
    std::vector<std::pair<uint32_t, uint32_t>> members;
    for (const auto& [key, member] : value.items()) {
      const auto next_id = static_cast<uint32_t>(id_of_key_.size());
      members.emplace_back(id_of_key_.try_emplace(key, next_id).first->second, IdOf(member));
    }
    std::ranges::sort(members);
    text = "{";
    for (const auto& [key, member] : members) {
      AppendId(key, &text);
      AppendId(member, &text);
    }
  } else if (value.is_string()) {
    text = "\"" + value.get_ref<const std::string&>();
  } else {
    text = value.is_number() ? NumberText(value) : JsonText(value);
  }
  const auto next_id = static_cast<uint32_t>(id_of_text_.size());
  const uint32_t id = id_of_text_.try_emplace(std::move(text), next_id).first->second;
  ids_.emplace(&value, id);
  return id;
}

}  // namespace infer
