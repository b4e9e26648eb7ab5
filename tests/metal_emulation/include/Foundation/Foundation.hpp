// SPDX-License-Identifier: Apache-2.0
//
// Stand-in for the part of metal-cpp's Foundation.hpp that the Metal back end uses, for machines
// without Apple's libraries. Names and signatures are metal-cpp's; conformance.cc pins them. What
// lies below a line "emulation" exists here only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace NS {

using Integer = std::intptr_t;
using UInteger = std::uintptr_t;
using TimeInterval = double;

enum StringEncoding : UInteger { ASCIIStringEncoding = 1, UTF8StringEncoding = 4 };

struct Range {
  Range(UInteger loc, UInteger len) : location(loc), length(len) {}
  static Range Make(UInteger loc, UInteger len) { return Range(loc, len); }

  UInteger location;
  UInteger length;
};

class String;

// Counted, and known to the list of live objects from its construction to its destruction.
class Object {
 public:
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  Object* retain();
  void release();
  Object* autorelease();
  UInteger retainCount() const;
  UInteger hash() const { return reinterpret_cast<UInteger>(this); }
  bool isEqual(const Object* other) const { return this == other; }

  // emulation
  virtual ~Object();
  // Memory of dead objects is kept for a while, so that a second release is told from the release
  // of a new object at the same address.
  static void* operator new(size_t bytes);
  static void operator delete(void* memory);
  std::string emulated_label;

 protected:
  Object();

 private:
  friend struct ObjectAccess;
  long count_ = 1;
};

template <class C, class Base = Object>
class Referencing : public Base {
 public:
  C* retain() { return static_cast<C*>(Object::retain()); }
  void release() { Object::release(); }
  C* autorelease() { return static_cast<C*>(Object::autorelease()); }
  UInteger retainCount() const { return Object::retainCount(); }
};

template <class C, class Base = Object>
class Copying : public Referencing<C, Base> {};

class String : public Copying<String> {
 public:
  static String* string();
  static String* string(const String* other);
  static String* string(const char* text, StringEncoding encoding);
  static String* alloc();
  String* init();
  String* init(const String* other);
  String* init(const char* text, StringEncoding encoding);

  const char* utf8String() const { return emulated_text.c_str(); }
  const char* cString(StringEncoding) const { return emulated_text.c_str(); }
  UInteger length() const { return emulated_text.size(); }
  UInteger lengthOfBytes(StringEncoding) const { return emulated_text.size(); }
  bool isEqualToString(const String* other) const { return emulated_text == other->emulated_text; }

  // emulation
  std::string emulated_text;
};

#define MTLSTR(literal) (NS::String::string("" literal "", NS::UTF8StringEncoding))

class Number : public Copying<Number> {
 public:
  static Number* number(int value);
  static Number* number(bool value);
  static Number* number(unsigned int value);
  int intValue() const { return static_cast<int>(emulated_value); }
  unsigned int unsignedIntValue() const { return static_cast<unsigned int>(emulated_value); }
  bool boolValue() const { return emulated_value != 0; }

  // emulation
  long long emulated_value = 0;
};

class Array : public Copying<Array> {
 public:
  static Array* array();
  static Array* array(const Object* object);
  static Array* array(const Object* const* objects, UInteger count);
  template <class T = Object>
  T* object(UInteger index) const {
    return static_cast<T*>(emulated_objects.at(index));
  }
  UInteger count() const { return emulated_objects.size(); }

  // emulation
  ~Array() override;
  std::vector<Object*> emulated_objects;  // retained
};

class Dictionary : public Copying<Dictionary> {
 public:
  static Dictionary* dictionary();
  static Dictionary* dictionary(const Object* object, const Object* key);
  static Dictionary* dictionary(const Object* const* objects, const Object* const* keys,
                                UInteger count);
  UInteger count() const { return emulated_pairs.size(); }

  // emulation
  ~Dictionary() override;
  std::vector<std::pair<Object*, Object*>> emulated_pairs;  // key, value; retained
};

class URL : public Copying<URL> {
 public:
  static URL* fileURLWithPath(const String* path);
  const char* fileSystemRepresentation() const { return emulated_path.c_str(); }

  // emulation
  std::string emulated_path;
};

using ErrorDomain = String*;

class Error : public Copying<Error> {
 public:
  Integer code() const { return emulated_code; }
  ErrorDomain domain() const;
  String* localizedDescription() const;

  // emulation
  static Error* Make(const std::string& text, const std::string& domain, Integer code);
  std::string emulated_text;
  std::string emulated_domain;
  Integer emulated_code = 0;
};

class AutoreleasePool : public Object {
 public:
  static AutoreleasePool* alloc();
  AutoreleasePool* init();
  void drain();
  void addObject(Object* object);

  // emulation
  ~AutoreleasePool() override;
  std::vector<Object*> emulated_objects;
  AutoreleasePool* emulated_outer = nullptr;  // that was open on this thread before

 private:
  bool opened_ = false;
};

template <class C>
class SharedPtr {
 public:
  SharedPtr() = default;
  SharedPtr(const SharedPtr& other) noexcept : object_(other.object_) { Keep(); }
  SharedPtr(SharedPtr&& other) noexcept : object_(other.get()) { other.detach(); }
  template <class D>
    requires std::is_convertible_v<D*, C*>
  SharedPtr(const SharedPtr<D>& other) noexcept : object_(other.get()) {
    Keep();
  }
  template <class D>
    requires std::is_convertible_v<D*, C*>
  SharedPtr(SharedPtr<D>&& other) noexcept : object_(other.get()) {
    other.detach();
  }
  ~SharedPtr() { reset(); }
  SharedPtr& operator=(const SharedPtr& other) {
    SharedPtr copy(other);
    std::swap(object_, copy.object_);
    return *this;
  }
  SharedPtr& operator=(SharedPtr&& other) noexcept {
    SharedPtr moved(std::move(other));
    std::swap(object_, moved.object_);
    return *this;
  }

  C* get() const { return object_; }
  C* operator->() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }
  void reset() {
    if (C* object = std::exchange(object_, nullptr)) object->release();
  }
  void detach() { object_ = nullptr; }

 private:
  template <class D>
  friend SharedPtr<D> RetainPtr(D* object);
  template <class D>
  friend SharedPtr<D> TransferPtr(D* object);
  void Keep() {
    if (object_ != nullptr) object_->retain();
  }

  C* object_ = nullptr;
};

template <class C>
SharedPtr<C> TransferPtr(C* object) {
  SharedPtr<C> owner;
  owner.object_ = object;
  return owner;
}

template <class C>
SharedPtr<C> RetainPtr(C* object) {
  if (object != nullptr) object->retain();
  return TransferPtr(object);
}

template <class A, class B>
bool operator==(const SharedPtr<A>& a, const SharedPtr<B>& b) {
  return a.get() == b.get();
}

}  // namespace NS
