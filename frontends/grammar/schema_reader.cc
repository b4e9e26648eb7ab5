// SPDX-License-Identifier: Apache-2.0
#include "frontends/grammar/schema_reader.h"

#include <algorithm>
#include <utility>

#include "frontends/grammar/disjoint.h"
#include "frontends/grammar/schema_keywords.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {

namespace {

// What applying a keyword takes that grows with what the shape has already.
size_t WorkOf(const std::string& keyword, const SchemaJson& value, const SchemaShape& shape) {
  if (keyword == "required") return value.size() * (shape.required.size() + value.size());
  if (keyword == "const" && shape.values) return shape.values->size() * ComparisonWork(value);
  if (keyword != "enum" || !value.is_array()) return 0;
  size_t work = 0;
  for (const SchemaJson& v : value) work += ComparisonWork(v);
  return shape.values ? work * shape.values->size() : work;
}

}  // namespace

absl::Status SchemaReader::TakeWork(size_t work) {
  work_ += work;
  if (work_ <= kMaxWork) return absl::OkStatus();
  return document_.Error(document_.root(),
                         "the schema is too complex: long lists of enum or required, or branches "
                         "of oneOf, combine in too many ways; shorten them, or use anyOf");
}

absl::StatusOr<std::vector<SchemaShape>> SchemaReader::Read(const SchemaList& schemas) {
  Task task;
  for (const SchemaJson* schema : schemas) task.todo.push_back({schema, {}});
  std::vector<SchemaShape> shapes;
  RETURN_IF_ERROR(ReadTask(std::move(task), 0, &shapes));
  return shapes;
}

// Reads all schemas of the task; where one offers a choice, goes on with each branch.
absl::Status SchemaReader::ReadTask(Task task, int depth, std::vector<SchemaShape>* shapes) {
  std::vector<Place> choices;  // the values of anyOf and oneOf: one branch of each must hold
  for (size_t i = 0; i < task.todo.size(); ++i) {
    const Place place = task.todo[i];
    const SchemaJson& schema = *place.schema;
    if (++steps_ > kMaxSteps) {
      return document_.Error(schema,
                             "the schema is too complex: its parts combine in too many ways");
    }
    if (schema.is_boolean()) {
      if (schema == false) return absl::OkStatus();
      continue;
    }
    if (!schema.is_object()) return document_.Error(schema, "expected a schema");
    if (std::ranges::find(place.within, &schema) != place.within.end()) {
      return document_.Error(schema, "refers to itself without anything in between");
    }
    if (std::ranges::find(task.done, &schema) != task.done.end()) continue;
    task.done.push_back(&schema);
    RETURN_IF_ERROR(ReadSchema(place, &task, &choices));
  }
  task.todo.clear();
  return Choose(task, std::move(choices), depth, shapes);
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
  const Place branches = std::move(choices.back());
  choices.pop_back();
  if (depth >= kMaxDepth) {
    return document_.Error(*branches.schema,
                           StrCat("more than ", kMaxDepth, " choices within each other"));
  }
  constexpr size_t kCopyWork = 128;  // also stands for what is done with the copy later
  const size_t values = task.shape.values ? task.shape.values->size() : 0;
  const size_t copied = 1 + task.shape.required.size() + values;
  for (const SchemaJson& branch : *branches.schema) {
    RETURN_IF_ERROR(TakeWork(kCopyWork * copied));
    Task chosen = task;
    chosen.todo = {{&branch, branches.within}};
    // What the branch says is read first, then the other choices follow.
    std::vector<SchemaShape> inner;
    RETURN_IF_ERROR(ReadTask(std::move(chosen), depth + 1, &inner));
    for (SchemaShape& shape : inner) {
      Task rest = task;
      rest.shape = std::move(shape);
      RETURN_IF_ERROR(Choose(rest, choices, depth + 1, shapes));
    }
  }
  return absl::OkStatus();
}

absl::Status SchemaReader::ReadSchema(const Place& place, Task* task, std::vector<Place>* choices) {
  const SchemaJson& schema = *place.schema;
  SchemaList within = place.within;
  within.push_back(&schema);
  if (const auto ref = schema.find("$ref"); ref != schema.end()) {
    ASSIGN_OR_RETURN(const SchemaJson* target, document_.Resolve(*ref));
    task->todo.push_back({target, within});
    if (document_.ignores_beside_ref()) return absl::OkStatus();
  }
  for (const auto& [keyword, value] : schema.items()) {
    if (keyword == "$ref") continue;
    if (keyword == "$id" && &schema != &document_.root()) {
      const bool is_name =
          value.is_string() && value.get_ref<const std::string&>().starts_with('#');
      if (!is_name) return document_.Error(value, "a schema within the schema is not supported");
    }
    const bool is_all = keyword == "allOf";
    if (!is_all && keyword != "anyOf" && keyword != "oneOf") {
      RETURN_IF_ERROR(TakeWork(WorkOf(keyword, value, task->shape)));
      RETURN_IF_ERROR(ApplyKeyword(document_, schema, keyword, value, &task->shape));
      continue;
    }
    if (!value.is_array() || value.empty()) {
      return document_.Error(value, "expected a list of schemas");
    }
    if (is_all) {
      for (const SchemaJson& part : value) task->todo.push_back({&part, within});
      continue;
    }
    if (keyword == "oneOf" && value.size() > 1)
      RETURN_IF_ERROR(CheckDisjoint({&schema, within}, value));
    choices->push_back({&value, within});
  }
  return absl::OkStatus();
}

// Compares what the branches allow together with the keywords beside oneOf.
absl::Status SchemaReader::CheckDisjoint(const Place& place, const SchemaJson& branches) {
  const SchemaJson& schema = *place.schema;
  SchemaShape base;
  for (const auto& [keyword, value] : schema.items()) {
    if (keyword == "oneOf" || keyword == "anyOf" || keyword == "allOf" || keyword == "$ref")
      continue;
    RETURN_IF_ERROR(ApplyKeyword(document_, schema, keyword, value, &base));
  }
  std::vector<std::vector<SchemaShape>> shapes;
  for (const SchemaJson& branch : branches) {
    std::vector<SchemaShape>& list = shapes.emplace_back();
    RETURN_IF_ERROR(ReadTask({.todo = {{&branch, place.within}}, .shape = base}, 0, &list));
  }
  DisjointShapes disjoint(this);
  for (size_t i = 0; i < shapes.size(); ++i) {
    for (size_t j = i + 1; j < shapes.size(); ++j) {
      ASSIGN_OR_RETURN(const bool are_disjoint, disjoint.Lists(shapes[i], shapes[j]));
      if (are_disjoint) continue;
      return document_.Error(
          branches, StrCat("branches ", i, " and ", j, " of oneOf might both hold for one value; ",
                           "use anyOf, or a required property with different values of const"));
    }
  }
  return absl::OkStatus();
}

}  // namespace infer
