// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/base/strings.h"

namespace infer {

// The object type of Json. Large objects have an index: nlohmann::ordered_map compares each
// key with all before it, which takes half a minute for the 100,000 keys that fit into 1 MiB.
template <class Key, class T, class IgnoredLess = std::less<Key>,
          class Allocator = std::allocator<std::pair<const Key, T>>>
class IndexedObject : public std::vector<std::pair<const Key, T>, Allocator> {
 public:
  using Base = std::vector<std::pair<const Key, T>, Allocator>;
  using key_type = Key;
  using mapped_type = T;
  using key_compare = std::equal_to<>;
  using typename Base::const_iterator;
  using typename Base::iterator;
  using typename Base::size_type;
  using typename Base::value_type;

  using Base::Base;

  std::pair<iterator, bool> emplace(std::string_view key, T&& value) {
    if (const iterator known = find(key); known != this->end()) return {known, false};
    Base::emplace_back(Key(key), std::move(value));
    if (this->size() == kIndexedSize) {
      for (size_type i = 0; i < kIndexedSize; ++i) index_.emplace(Base::operator[](i).first, i);
    } else if (this->size() > kIndexedSize) {
      index_.emplace(Key(key), this->size() - 1);
    }
    return {std::prev(this->end()), true};
  }
  T& operator[](const Key& key) { return emplace(key, T()).first->second; }

  iterator find(std::string_view key) { return this->begin() + PlaceOf(key); }
  const_iterator find(std::string_view key) const { return this->begin() + PlaceOf(key); }
  size_type count(std::string_view key) const { return find(key) == this->end() ? 0 : 1; }

  // For nlohmann's parser, which could be told to leave members out. Copies what stays.
  iterator erase(const_iterator at) {
    const auto place = at - this->begin();
    IndexedObject kept;
    for (auto it = this->begin(); it != this->end(); ++it) {
      if (it != at) kept.emplace(it->first, std::move(it->second));
    }
    *this = std::move(kept);
    return this->begin() + place;
  }
  std::pair<iterator, bool> insert(const value_type& member) {
    return emplace(member.first, T(member.second));
  }

 private:
  static constexpr size_type kIndexedSize = 16;

  // The place of `key`, or the end.
  std::ptrdiff_t PlaceOf(std::string_view key) const {
    if (this->size() >= kIndexedSize) {
      const auto known = index_.find(ToAbsl(key));
      return static_cast<std::ptrdiff_t>(known == index_.end() ? this->size() : known->second);
    }
    const auto has_key = [key](const value_type& member) { return member.first == key; };
    return std::find_if(this->begin(), this->end(), has_key) - this->begin();
  }

  absl::flat_hash_map<Key, size_type> index_;  // empty below kIndexedSize
};

// Members keep the order in which they were written.
using Json = nlohmann::basic_json<IndexedObject>;

// The library's parser and writer take half a second to compile in every file that calls them
// itself.

// A value with is_discarded() if the text is no JSON.
Json ParseJson(std::string_view text);
// Throws Json::exception; JsonErrorText says what is wrong and where.
Json ParseJsonOrThrow(std::string_view text);

// On one line, or with `indent` spaces a level. Bytes that are no UTF-8 are replaced by U+FFFD.
std::string JsonText(const Json& json, int indent = -1);

// What the library says about a text, without the name of the exception in front:
// "[json.exception.parse_error.101] parse error at line 1, ...".
inline std::string_view JsonErrorText(std::string_view what) {
  if (const size_t end = what.find("] "); end != std::string_view::npos)
    what.remove_prefix(end + 2);
  return what;
}

}  // namespace infer
