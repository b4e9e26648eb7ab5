// SPDX-License-Identifier: Apache-2.0
#include "tests/metal_emulation/device/state.h"

namespace NS {

String* String::string() { return (new String)->autorelease(); }
String* String::string(const String* other) {
  return string(other->emulated_text.c_str(), UTF8StringEncoding);
}
String* String::string(const char* text, StringEncoding encoding) {
  return alloc()->init(text, encoding)->autorelease();
}
String* String::alloc() { return new String; }
String* String::init() { return this; }
String* String::init(const String* other) {
  emulated_text = other->emulated_text;
  return this;
}
String* String::init(const char* text, StringEncoding) {
  emulated_text = text;
  return this;
}

Number* Number::number(int value) {
  auto* const number = new Number;
  number->emulated_value = value;
  return number->autorelease();
}
Number* Number::number(bool value) { return number(value ? 1 : 0); }
Number* Number::number(unsigned int value) {
  Number* const result = number(0);
  result->emulated_value = value;
  return result;
}

Array* Array::array() { return (new Array)->autorelease(); }
Array* Array::array(const Object* object) { return array(&object, 1); }
Array* Array::array(const Object* const* objects, UInteger count) {
  Array* const result = array();
  for (UInteger i = 0; i < count; ++i) {
    result->emulated_objects.push_back(const_cast<Object*>(objects[i])->retain());
  }
  return result;
}
Array::~Array() {
  for (Object* const object : emulated_objects) object->release();
}

Dictionary* Dictionary::dictionary() { return (new Dictionary)->autorelease(); }
Dictionary* Dictionary::dictionary(const Object* object, const Object* key) {
  return dictionary(&object, &key, 1);
}
Dictionary* Dictionary::dictionary(const Object* const* objects, const Object* const* keys,
                                   UInteger count) {
  Dictionary* const result = dictionary();
  for (UInteger i = 0; i < count; ++i) {
    result->emulated_pairs.emplace_back(const_cast<Object*>(keys[i])->retain(),
                                        const_cast<Object*>(objects[i])->retain());
  }
  return result;
}
Dictionary::~Dictionary() {
  for (const auto& [key, value] : emulated_pairs) {
    key->release();
    value->release();
  }
}

AutoreleasePool* AutoreleasePool::alloc() { return new AutoreleasePool; }

URL* URL::fileURLWithPath(const String* path) {
  auto* const url = new URL;
  url->emulated_path = path->emulated_text;
  return url->autorelease();
}

Error* Error::Make(const std::string& text, const std::string& domain, Integer code) {
  auto* const error = new Error;
  error->emulated_text = text;
  error->emulated_domain = domain;
  error->emulated_code = code;
  return error;
}
ErrorDomain Error::domain() const { return infer::emulation::AutoreleasedString(emulated_domain); }
String* Error::localizedDescription() const {
  return infer::emulation::AutoreleasedString(emulated_text);
}

}  // namespace NS

namespace infer::emulation {

NS::String* AutoreleasedString(const std::string& text) {
  NS::String* const string = NS::String::alloc()->init();
  string->emulated_text = text;
  return string->autorelease();
}

void SetError(NS::Error** error, const std::string& text) {
  if (error != nullptr) *error = NS::Error::Make(text, "MTLLibraryErrorDomain", 3)->autorelease();
}

}  // namespace infer::emulation
