// SPDX-License-Identifier: Apache-2.0
//
// Counting references, autorelease pools, and the list of live objects.
#include <cxxabi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <typeinfo>
#include <unordered_map>
#include <utility>

#include "ir/base/strings.h"
#include "tests/metal_emulation/device/state.h"

namespace NS {

struct ObjectAccess {
  static long& count(Object* object) { return object->count_; }
};

}  // namespace NS

namespace infer::emulation {
namespace {

// Dead objects whose memory is kept. An object is about 300 bytes, so this is 5 MB.
constexpr size_t kQuarantine = 16384;

struct Objects {
  std::mutex mutex;
  std::unordered_map<const NS::Object*, bool> live;
  std::unordered_map<const void*, std::string> dead;  // memory that is kept -> class
  std::deque<void*> kept;
  std::vector<std::string> problems;
};

// Never destroyed: objects of static storage may die after it.
Objects& objects() {
  static auto* const all = new Objects;
  return *all;
}

std::string ClassName(const NS::Object& object) {
  int status = 0;
  char* const name = abi::__cxa_demangle(typeid(object).name(), nullptr, nullptr, &status);
  std::string result = status == 0 ? name : typeid(object).name();
  std::free(name);
  return result;
}

// A list without a destructor: objects of static storage open pools after those of the thread died.
thread_local NS::AutoreleasePool* innermost_pool = nullptr;

// False, and reported, if there is no such object any more.
bool CheckLive(const NS::Object* object, std::string_view what) {
  Objects& all = objects();
  std::string dead;
  {
    const std::lock_guard lock(all.mutex);
    if (all.live.contains(object)) return true;
    const auto found = all.dead.find(object);
    dead = found == all.dead.end() ? "an object" : found->second;
  }
  ReportProblem(StrCat(what, " of ", dead, " that has already been destroyed"));
  return false;
}

}  // namespace

bool IsLive(const NS::Object* object) {
  Objects& all = objects();
  const std::lock_guard lock(all.mutex);
  return all.live.contains(object);
}

void ReportProblem(const std::string& text) {
  std::fprintf(stderr, "metal emulation: %s\n", text.c_str());
  Objects& all = objects();
  const std::lock_guard lock(all.mutex);
  all.problems.push_back(text);
}

std::vector<std::string> TakeProblems() {
  Objects& all = objects();
  const std::lock_guard lock(all.mutex);
  return std::exchange(all.problems, {});
}

size_t LiveObjects() {
  Objects& all = objects();
  const std::lock_guard lock(all.mutex);
  return all.live.size();
}

std::vector<std::string> LiveObjectList() {
  Objects& all = objects();
  const std::lock_guard lock(all.mutex);
  std::vector<std::string> list;
  for (const auto& [object, ignored] : all.live) {
    std::string line = ClassName(*object);
    if (!object->emulated_label.empty()) StrAppend(&line, " '", object->emulated_label, "'");
    list.push_back(StrCat(line, " (retain count ",
                          NS::ObjectAccess::count(const_cast<NS::Object*>(object)), ")"));
  }
  std::ranges::sort(list);
  return list;
}

const std::string& LabelOf(const NS::Object* object) { return object->emulated_label; }

}  // namespace infer::emulation

namespace NS {

using infer::StrAppend;
using infer::StrCat;
using infer::emulation::objects;

Object::Object() {
  const std::lock_guard lock(objects().mutex);
  objects().live[this] = true;
}

Object::~Object() {
  const std::lock_guard lock(objects().mutex);
  objects().live.erase(this);
}

void* Object::operator new(size_t bytes) { return ::operator new(bytes); }

void Object::operator delete(void* memory) {
  infer::emulation::Objects& all = objects();
  const std::lock_guard lock(all.mutex);
  all.dead.try_emplace(memory, "an object");
  all.kept.push_back(memory);
  if (all.kept.size() <= infer::emulation::kQuarantine) return;
  all.dead.erase(all.kept.front());
  ::operator delete(all.kept.front());
  all.kept.pop_front();
}

Object* Object::retain() {
  if (infer::emulation::CheckLive(this, "retain")) {
    const std::lock_guard lock(objects().mutex);
    ++count_;
  }
  return this;
}

void Object::release() {
  if (!infer::emulation::CheckLive(this, "release")) return;
  std::string name = infer::emulation::ClassName(*this);
  if (!emulated_label.empty()) StrAppend(&name, " '", emulated_label, "'");
  {
    const std::lock_guard lock(objects().mutex);
    if (--count_ > 0) return;
    objects().dead[this] = std::move(name);
  }
  delete this;
}

Object* Object::autorelease() {
  if (infer::emulation::innermost_pool == nullptr) {
    infer::emulation::ReportProblem(StrCat(infer::emulation::ClassName(*this),
                                           " autoreleased with no pool in place: it leaks"));
    return this;
  }
  infer::emulation::innermost_pool->emulated_objects.push_back(this);
  return this;
}

UInteger Object::retainCount() const {
  const std::lock_guard lock(objects().mutex);
  return static_cast<UInteger>(count_);
}

AutoreleasePool* AutoreleasePool::init() {
  opened_ = true;
  emulated_outer = std::exchange(infer::emulation::innermost_pool, this);
  return this;
}

void AutoreleasePool::addObject(Object* object) { emulated_objects.push_back(object); }

void AutoreleasePool::drain() { release(); }

AutoreleasePool::~AutoreleasePool() {
  if (!opened_) return;
  AutoreleasePool** link = &infer::emulation::innermost_pool;
  if (*link != this) {
    infer::emulation::ReportProblem(
        "autorelease pools must end in the reverse order, on one thread");
  }
  while (*link != nullptr && *link != this) link = &(*link)->emulated_outer;
  if (*link == this) *link = emulated_outer;
  for (Object* const object : emulated_objects) object->release();
}

}  // namespace NS
