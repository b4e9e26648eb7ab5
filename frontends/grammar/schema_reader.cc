// SPDX-License-Identifier: Apache-2.0
#include "frontends/grammar/schema_reader.h"

#include <utility>

#include "frontends/grammar/disjoint.h"
#include "frontends/grammar/schema_keywords.h"
#include "ir/base/json.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

constexpr size_t kSchemaSteps = 256;
constexpr size_t kKeywordSteps = 96;
constexpr size_t kItemSteps = 16;  // of a list that a keyword has
// Of copying a shape and each item of its lists, and of what is done with the copy.
constexpr size_t kShapeSteps = 256;
constexpr size_t kCopiedItemSteps = 16;

bool HasBranches(std::string_view keyword) { return keyword == "anyOf" || keyword == "oneOf"; }

}  // namespace

absl::Status SchemaReader::TakeSteps(size_t steps) {
  if (budget_.TakeSteps(steps)) return absl::OkStatus();
  return document_.Error(document_.root(),
                         "the schema is too complex: its parts, or its long lists of enum, "
                         "required or branches of oneOf, combine in too many ways; shorten them, "
                         "or use anyOf");
}

absl::StatusOr<std::vector<SchemaShape>> SchemaReader::Read(const SchemaList& schemas) {
  Task task;
  for (const Json* schema : schemas) task.todo.push_back({schema});
  std::vector<SchemaShape> shapes;
  RETURN_IF_ERROR(ReadTask(std::move(task), 0, &shapes));
  return shapes;
}

// Reads all schemas of the task; where one offers a choice, goes on with each branch.
absl::Status SchemaReader::ReadTask(Task task, int depth, std::vector<SchemaShape>* shapes) {
  RETURN_IF_ERROR(TakeSteps(kShapeSteps));
  std::vector<Place> choices;  // the values of anyOf and oneOf: one branch of each must hold
  for (size_t i = 0; i < task.todo.size(); ++i) {
    const Place place = task.todo[i];
    const Json& schema = *place.schema;
    RETURN_IF_ERROR(TakeSteps(kSchemaSteps));
    if (schema.is_boolean()) {
      if (schema == false) return absl::OkStatus();
      continue;
    }
    if (!schema.is_object()) return document_.Error(schema, "expected a schema");
    RETURN_IF_ERROR(CheckLeadsOn(place));
    if (!task.done.insert(&schema).second) continue;
    RETURN_IF_ERROR(ReadSchema(place, &task, &choices));
  }
  task.todo.clear();
  return Choose(task, std::move(choices), depth, shapes);
}

// Returns an error if the schema led to itself.
absl::Status SchemaReader::CheckLeadsOn(const Place& place) {
  size_t steps = 0;
  for (uint32_t at = place.path; at != kNowhere; at = paths_[at].from, ++steps) {
    if (paths_[at].schema == place.schema) {
      return document_.Error(*place.schema, "refers to itself without anything in between");
    }
  }
  return TakeSteps(steps);
}

absl::Status SchemaReader::Choose(const Task& task, std::vector<Place> choices, int depth,
                                  std::vector<SchemaShape>* shapes) {
  if (choices.empty()) {
    const SchemaShape& shape = task.shape;
    if (shape.types == 0 || (shape.values && shape.values->empty())) return absl::OkStatus();
    if (shapes->size() >= kMaxShapes) {
      return document_.Error(document_.root(),
                             StrCat("one value has more than ", kMaxShapes, " alternatives"));
    }
    shapes->push_back(shape);
    return absl::OkStatus();
  }
  const Place branches = choices.back();
  choices.pop_back();
  if (depth >= kMaxDepth) {
    return document_.Error(*branches.schema,
                           StrCat("more than ", kMaxDepth, " choices within each other"));
  }
  const auto take_copy = [&](const SchemaShape& shape) {
    const size_t items = task.done.size() + choices.size() + shape.ListedItems();
    return TakeSteps(kShapeSteps + kCopiedItemSteps * items);
  };
  for (const Json& branch : *branches.schema) {
    RETURN_IF_ERROR(take_copy(task.shape));
    // What the branch says is read first, then the other choices follow.
    std::vector<SchemaShape> inner;
    RETURN_IF_ERROR(
        ReadTask({.todo = {{&branch, branches.path}}, .done = task.done, .shape = task.shape},
                 depth + 1, &inner));
    for (SchemaShape& shape : inner) {
      RETURN_IF_ERROR(take_copy(shape));
      RETURN_IF_ERROR(
          Choose({.done = task.done, .shape = std::move(shape)}, choices, depth + 1, shapes));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<const Json*> SchemaReader::Resolve(const Json& ref) {
  if (const auto known = targets_.find(&ref); known != targets_.end()) return known->second;
  ASSIGN_OR_RETURN(const Json* target, document_.Resolve(ref));
  return targets_[&ref] = target;
}

absl::Status SchemaReader::ReadSchema(const Place& place, Task* task, std::vector<Place>* choices) {
  const Json& schema = *place.schema;
  paths_.push_back({&schema, place.path});
  const auto path = static_cast<uint32_t>(paths_.size() - 1);
  if (const auto ref = schema.find("$ref"); ref != schema.end()) {
    ASSIGN_OR_RETURN(const Json* target, Resolve(*ref));
    task->todo.push_back({target, path});
    if (document_.ignores_beside_ref()) return absl::OkStatus();
  }
  RETURN_IF_ERROR(ApplyKeywords(schema, &task->shape));
  for (const auto& [keyword, value] : schema.items()) {
    const bool is_all = keyword == "allOf";
    if (!is_all && !HasBranches(keyword)) continue;
    if (!value.is_array() || value.empty()) {
      return document_.Error(value, "expected a list of schemas");
    }
    RETURN_IF_ERROR(TakeSteps(kItemSteps * value.size()));
    if (is_all) {
      for (const Json& part : value) task->todo.push_back({&part, path});
      continue;
    }
    if (keyword == "oneOf" && value.size() > 1 && is_to_compare_.insert(&value).second) {
      to_compare_.push_back({&value, path});
    }
    choices->push_back({&value, path});
  }
  return absl::OkStatus();
}

// Narrows the shape by the keywords that do not lead to other schemas of the same value.
absl::Status SchemaReader::ApplyKeywords(const Json& schema, SchemaShape* shape) {
  for (const auto& [keyword, value] : schema.items()) {
    const size_t items = value.is_structured() ? value.size() : 0;
    const size_t merged = keyword == "enum" && shape->values ? shape->values->size() : 0;
    RETURN_IF_ERROR(TakeSteps(kKeywordSteps + kItemSteps * (items + merged)));
    if (keyword == "$ref" || keyword == "allOf" || HasBranches(keyword)) continue;
    if (keyword == "$id" && &schema != &document_.root()) {
      const bool is_name =
          value.is_string() && value.get_ref<const std::string&>().starts_with('#');
      if (!is_name) return document_.Error(value, "a schema within the schema is not supported");
    }
    RETURN_IF_ERROR(ApplyKeyword(document_, schema, keyword, value, &values_, shape));
  }
  return absl::OkStatus();
}

absl::Status SchemaReader::CheckBranches() {
  // Comparing reads more of them.
  for (; compared_ < to_compare_.size(); ++compared_) {
    RETURN_IF_ERROR(CheckDisjoint(Place(to_compare_[compared_])));
  }
  return absl::OkStatus();
}

// Compares what the branches allow together with the keywords beside oneOf.
absl::Status SchemaReader::CheckDisjoint(const Place& branches) {
  SchemaShape base;
  RETURN_IF_ERROR(ApplyKeywords(*paths_[branches.path].schema, &base));
  struct Branch {
    size_t index;
    std::vector<SchemaShape> shapes;
  };
  std::vector<Branch> possible;
  for (size_t i = 0; i < branches.schema->size(); ++i) {
    RETURN_IF_ERROR(TakeSteps(kShapeSteps + kCopiedItemSteps * base.ListedItems()));
    Branch branch = {.index = i, .shapes = {}};
    RETURN_IF_ERROR(ReadTask({.todo = {{&(*branches.schema)[i], branches.path}}, .shape = base}, 0,
                             &branch.shapes));
    if (!branch.shapes.empty()) possible.push_back(std::move(branch));
  }
  DisjointShapes disjoint(this);
  for (size_t i = 0; i < possible.size(); ++i) {
    for (size_t j = i + 1; j < possible.size(); ++j) {
      const auto& [first, first_shapes] = possible[i];
      const auto& [second, second_shapes] = possible[j];
      ASSIGN_OR_RETURN(const bool are_disjoint, disjoint.Lists(first_shapes, second_shapes));
      if (are_disjoint) continue;
      return document_.Error(
          *branches.schema,
          StrCat("branches ", first, " and ", second, " of oneOf might both hold for one value; ",
                 "use anyOf, or a required property with different values of const"));
    }
  }
  return absl::OkStatus();
}

}  // namespace infer
