// SPDX-License-Identifier: Apache-2.0
//
// The commands of a chat: lines that begin with a slash and a word of letters. A message like
// "/etc/hosts is empty" is no command.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace infer {

class ChatSession;

bool IsCommand(std::string_view line);

// Returns kInvalidArgument for an unknown command, with the nearest one, and what the command
// returns.
absl::Status RunCommand(std::string_view line, ChatSession* session);

// Returns the lines that `before` can be completed to: names of commands, and of what /set changes.
std::vector<std::string> CompleteCommand(std::string_view before);

}  // namespace infer
