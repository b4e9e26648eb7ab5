// SPDX-License-Identifier: Apache-2.0
#include "tools/run/conversation.h"

#include <algorithm>
#include <utility>

namespace infer {
namespace {

ChatMessage Message(std::string role, std::string content) {
  ChatMessage message;
  message.role = std::move(role);
  message.content = std::move(content);
  return message;
}

bool IsUser(const ChatMessage& message) { return message.role == "user"; }

}  // namespace

std::string Conversation::system() const { return has_system() ? messages_[0].content : ""; }

void Conversation::SetSystem(std::string text) {
  if (has_system()) messages_.erase(messages_.begin());
  if (text.empty()) return;
  messages_.insert(messages_.begin(), Message("system", std::move(text)));
}

void Conversation::AddUser(std::string text) {
  messages_.push_back(Message("user", std::move(text)));
}

int64_t Conversation::turns() const { return std::ranges::count_if(messages_, IsUser); }

void Conversation::Clear() { messages_.resize(has_system() ? 1 : 0); }

bool Conversation::DropOldestTurn() {
  if (turns() < 2) return false;
  const auto begin = messages_.begin() + (has_system() ? 1 : 0);
  // A conversation from a file may begin with an answer, which goes with the first turn.
  const auto first = std::find_if(begin, messages_.end(), IsUser);
  messages_.erase(begin, std::find_if(first + 1, messages_.end(), IsUser));
  return true;
}

int64_t Conversation::LastTurn() const {
  int64_t last = std::ssize(messages_) - 1;
  while (last >= 0 && !IsUser(messages_[static_cast<size_t>(last)])) --last;
  return last;
}

std::optional<std::string> Conversation::DropLastTurn() {
  const int64_t last = LastTurn();
  if (last < 0) return std::nullopt;
  std::string text = std::move(messages_[static_cast<size_t>(last)].content);
  messages_.resize(static_cast<size_t>(last));
  return text;
}

bool Conversation::DropAnswer() {
  const int64_t last = LastTurn();
  if (last < 0 || last + 1 == std::ssize(messages_)) return false;
  messages_.resize(static_cast<size_t>(last) + 1);
  return true;
}

}  // namespace infer
