// SPDX-License-Identifier: Apache-2.0
//
// Ownership of Metal's objects. What a method named new... or alloc returns is ours to release;
// everything else belongs to the innermost autorelease pool.
#pragma once

#include <Foundation/Foundation.hpp>
#include <Metal/Metal.hpp>
#include <string>

namespace infer::metal {

template <class T>
using Ref = NS::SharedPtr<T>;

template <class T>
Ref<T> Own(T* object) {
  return NS::TransferPtr(object);
}

// Every entry point of the back end has one: callers are plain C++ threads, which have no pool.
class Pool {
 public:
  Pool() : pool_(NS::AutoreleasePool::alloc()->init()) {}
  ~Pool() { pool_->release(); }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

 private:
  NS::AutoreleasePool* pool_;
};

// Of the innermost pool.
inline NS::String* MakeString(const std::string& text) {
  return NS::String::string(text.c_str(), NS::UTF8StringEncoding);
}

inline std::string TextOf(const NS::Error* error) {
  if (error == nullptr || error->localizedDescription() == nullptr) return "no reason given";
  return error->localizedDescription()->utf8String();
}

}  // namespace infer::metal
