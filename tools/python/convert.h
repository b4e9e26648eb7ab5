// SPDX-License-Identifier: Apache-2.0
//
// Python values to those of infer/infer.h and back. Everything here needs the GIL.
#pragma once

#include <infer/infer.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tools/python/text_stream.h"

namespace infer::python {

// Raises infer.Error.
[[noreturn]] void Raise(const Error& error);

template <class T>
T ValueOf(Result<T> result) {
  if (!result.ok()) Raise(result.error());
  return std::move(result.value());
}

std::string PathText(const pybind11::object& path);   // of str or os.PathLike
std::string JsonText(const pybind11::object& value);  // of JSON text or of what json.dumps takes
std::vector<int32_t> Tokens(const pybind11::object& ids);  // of a sequence or an array
std::vector<Message> Messages(const pybind11::object& messages);
Think ThinkOf(const pybind11::object& think);  // of None or bool

// Fills options from keyword arguments; one that no option has is a TypeError. Those about chats
// are accepted with `chat` only. Returns whether logits are to be kept.
bool FillOptions(const pybind11::kwargs& arguments, bool chat, GenerateOptions* options);

pybind11::object GenerationOf(const TextStream& stream);
pybind11::list PlacementOf(const Program& program);
// Text in which what is not UTF-8 is replaced: a token may be a part of a character.
pybind11::str TextOf(const std::string& bytes);
pybind11::array_t<float> Rows(const std::vector<std::vector<float>>& rows);

}  // namespace infer::python
