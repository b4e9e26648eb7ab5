// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ir/graph/graph.h"
#include "ir/ops/message.h"

namespace infer {

// Returns the form to which all readers of a value in a placed graph round it, or nullptr and why
// there is none.
const MessageForm* FormOfReaders(const Graph& graph, Value value, std::string* why);

}  // namespace infer
