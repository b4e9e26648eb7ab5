// SPDX-License-Identifier: Apache-2.0
#include "frontends/grammar/schema_document.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_replace.h"
#include "ir/base/json.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

// nlohmann's parser does not recurse, but what walks the result does.
absl::Status CheckDepth(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      if (++depth > SchemaDocument::kMaxDepth) {
        return absl::InvalidArgumentError(
            StrCat("JSON schema, byte ", i, ": nested deeper than ", SchemaDocument::kMaxDepth));
      }
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return absl::OkStatus();
}

std::string EscapedForPointer(std::string_view key) {
  return absl::StrReplaceAll(ToAbsl(key), {{"~", "~0"}, {"/", "~1"}});
}

std::optional<std::string> FindPlace(const Json& at, const Json& place) {
  if (&at == &place) return std::string();
  if (!at.is_structured()) return std::nullopt;
  size_t index = 0;
  for (auto it = at.begin(); it != at.end(); ++it, ++index) {
    const std::optional<std::string> rest = FindPlace(*it, place);
    if (!rest) continue;
    return StrCat("/", at.is_object() ? EscapedForPointer(it.key()) : std::to_string(index), *rest);
  }
  return std::nullopt;
}

std::optional<std::string> PercentDecoded(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    const auto digit = [](char c) {
      return std::string_view("0123456789abcdef")
          .find(static_cast<char>(c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c));
    };
    if (i + 2 >= text.size() || digit(text[i + 1]) > 15 || digit(text[i + 2]) > 15) {
      return std::nullopt;
    }
    out += static_cast<char>(digit(text[i + 1]) << 4 | digit(text[i + 2]));
    i += 2;
  }
  return out;
}

// Follows a JSON pointer; null if it leads nowhere.
const Json* FollowPointer(const Json& root, std::string_view pointer) {
  const Json* at = &root;
  while (!pointer.empty()) {
    if (pointer[0] != '/') return nullptr;
    const size_t end = std::min(pointer.find('/', 1), pointer.size());
    const std::string key =
        absl::StrReplaceAll(ToAbsl(pointer.substr(1, end - 1)), {{"~1", "/"}, {"~0", "~"}});
    pointer.remove_prefix(end);
    if (at->is_object()) {
      auto it = at->find(key);
      if (it == at->end()) return nullptr;
      at = &*it;
    } else if (at->is_array()) {
      const bool is_index =
          !key.empty() && key.size() < 9 && key.find_first_not_of("0123456789") == key.npos;
      if (!is_index || std::stoul(key) >= at->size()) return nullptr;
      at = &(*at)[std::stoul(key)];
    } else {
      return nullptr;
    }
  }
  return at;
}

// The names that schemas give themselves. Of two with one name the first has it.
void FindAnchors(const Json& at, absl::flat_hash_map<std::string, const Json*>* anchors) {
  if (at.is_object()) {
    for (const char* keyword : {"$anchor", "$id"}) {
      auto it = at.find(keyword);
      if (it == at.end() || !it->is_string()) continue;
      const std::string& name = it->get_ref<const std::string&>();
      anchors->try_emplace(name, &at);
      if (name.starts_with('#')) anchors->try_emplace(name.substr(1), &at);
    }
  }
  if (!at.is_structured()) return;
  for (const Json& child : at) FindAnchors(child, anchors);
}

}  // namespace

absl::StatusOr<SchemaDocument> SchemaDocument::Parse(std::string_view text) {
  if (text.size() > kMaxBytes) {
    return absl::InvalidArgumentError(
        StrCat("JSON schema: ", text.size(), " bytes, at most ", kMaxBytes, " are allowed"));
  }
  RETURN_IF_ERROR(CheckDepth(text));
  SchemaDocument document;
  try {
    document.root_ = std::make_shared<const Json>(ParseJsonOrThrow(text));
  } catch (const Json::exception& e) {
    return absl::InvalidArgumentError(
        StrCat("JSON schema: not valid JSON: ", JsonErrorText(e.what())));
  }
  const Json& root = document.root();
  if (!root.is_object()) return document;
  FindAnchors(root, &document.anchors_);
  if (auto id = root.find("$id"); id != root.end() && id->is_string()) {
    const std::string& uri = id->get_ref<const std::string&>();
    document.base_ = uri.substr(0, uri.find('#'));
  }
  if (auto draft = root.find("$schema"); draft != root.end()) {
    if (!draft->is_string()) return document.Error(*draft, "expected the URI of a draft");
    const std::string& uri = draft->get_ref<const std::string&>();
    for (const char* old : {"draft-04", "draft-06", "draft-07"}) {
      if (uri.find(old) != uri.npos) document.ignores_beside_ref_ = true;
    }
  }
  return document;
}

absl::StatusOr<const Json*> SchemaDocument::Resolve(const Json& ref) const {
  if (!ref.is_string()) return Error(ref, "expected a string");
  std::string target = ref.get<std::string>();
  if (!base_.empty() && target.starts_with(base_)) {
    target = target.size() == base_.size() ? "#" : target.substr(base_.size());
  }
  if (!target.starts_with('#')) {
    return Error(ref, StrCat("refers to another document, ", target,
                             "; only references within the schema are supported (#/...)"));
  }
  const std::optional<std::string> pointer = PercentDecoded(std::string_view(target).substr(1));
  const Json* found = nullptr;
  if (pointer) {
    const bool is_name = !pointer->empty() && (*pointer)[0] != '/';
    if (!is_name) {
      found = FollowPointer(*root_, *pointer);
    } else if (const auto anchor = anchors_.find(*pointer); anchor != anchors_.end()) {
      found = anchor->second;
    }
  }
  if (found == nullptr) return Error(ref, StrCat("refers to ", target, ", which does not exist"));
  return found;
}

std::string SchemaDocument::PointerTo(const Json& place) const {
  return FindPlace(*root_, place).value_or("");
}

absl::Status SchemaDocument::Error(const Json& place, std::string_view what) const {
  return absl::InvalidArgumentError(StrCat("JSON schema, #", PointerTo(place), ": ", what));
}

}  // namespace infer
