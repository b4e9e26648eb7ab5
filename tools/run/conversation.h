// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "frontends/family/chat.h"

namespace infer {

// The messages of a chat: an optional system message, then turns. A turn is a user's message and
// all that follows it until the next one.
class Conversation {
 public:
  const std::vector<ChatMessage>& messages() const { return messages_; }
  void set_messages(std::vector<ChatMessage> messages) { messages_ = std::move(messages); }

  // Empty if there is none; setting an empty text removes it.
  std::string system() const;
  void SetSystem(std::string text);

  void Add(ChatMessage message) { messages_.push_back(std::move(message)); }
  void AddUser(std::string text);

  int64_t turns() const;
  // Removes everything but the system message.
  void Clear();
  // Removes the first turn. Returns false if there is only one left.
  bool DropOldestTurn();
  // Removes the last turn and returns the user's message; nullopt if there is no turn.
  std::optional<std::string> DropLastTurn();
  // Removes what follows the last message of the user. Returns false if nothing does.
  bool DropAnswer();

 private:
  bool has_system() const { return !messages_.empty() && messages_[0].role == "system"; }
  // Returns the index of the user's message that begins the last turn; -1 without turns.
  int64_t LastTurn() const;

  std::vector<ChatMessage> messages_;
};

}  // namespace infer
