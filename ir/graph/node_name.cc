// SPDX-License-Identifier: Apache-2.0
#include "ir/graph/node_name.h"

#include <algorithm>

#include "ir/base/strings.h"

namespace infer {
namespace {

size_t CountComponents(std::string_view scope) { return 1 + std::ranges::count(scope, '/'); }

// Returns the length of `scope` without its last `components` components and the slash before them.
size_t LengthWithout(std::string_view scope, size_t components) {
  size_t length = scope.size();
  for (size_t i = 0; i < components && length > 0; ++i) {
    if (i > 0) --length;  // the slash after the component
    const size_t slash = length == 0 ? scope.npos : scope.rfind('/', length - 1);
    length = slash == scope.npos ? 0 : slash + 1;
  }
  return length;
}

// Returns the length of the longest common prefix that ends with a slash.
size_t CommonFolders(std::string_view a, std::string_view b) {
  const size_t same = std::ranges::mismatch(a, b).in1 - a.begin();
  const size_t slash = a.substr(0, same).rfind('/');
  return slash == a.npos ? 0 : slash + 1;
}

void AppendMember(std::string_view first, std::string_view member, std::string* name) {
  *name += kScopeSeparator;
  const std::string_view rest = member.substr(CommonFolders(first, member));
  const bool replaces_end = CountComponents(first) == CountComponents(member);
  if (!replaces_end || rest.starts_with('/')) {
    StrAppend(name, "/", member);
  } else {
    StrAppend(name, rest);
  }
}

std::string MemberOf(std::string_view first, std::string_view part) {
  if (part.starts_with('/')) return std::string(part.substr(1));
  return StrCat(first.substr(0, LengthWithout(first, CountComponents(part))), part);
}

}  // namespace

std::string JoinScopes(std::string_view scope, std::span<const std::string> merged_scopes) {
  std::string name(scope);
  for (const std::string& member : merged_scopes) AppendMember(scope, member, &name);
  return name;
}

ScopeList SplitScopes(std::string_view name) {
  size_t end = name.find(kScopeSeparator);
  ScopeList list = {.scope = std::string(name.substr(0, end)), .merged_scopes = {}};
  while (end != name.npos) {
    const size_t begin = end + 1;
    end = name.find(kScopeSeparator, begin);
    const size_t length = end == name.npos ? name.npos : end - begin;
    list.merged_scopes.push_back(MemberOf(list.scope, name.substr(begin, length)));
  }
  return list;
}

std::string NodeName(const Node& node) { return JoinScopes(node.scope(), node.merged_scopes()); }

std::string NodeNameInFolder(const Node& node) {
  return NodeName(node).substr(node.scope().rfind('/') + 1);
}

}  // namespace infer
