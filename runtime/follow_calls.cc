// SPDX-License-Identifier: Apache-2.0
#include "runtime/follow_calls.h"

#include <algorithm>

#include "ir/base/status_macros.h"

namespace infer {
namespace {

// The first message has this many words, enough for a call of a few tokens; the rest follows in a
// second one.
constexpr size_t kFirstWords = 64;
enum Message : int64_t { kEnd, kCall };

void Append(std::vector<int64_t>* words, std::span<const int32_t> values) {
  words->push_back(std::ssize(values));
  words->insert(words->end(), values.begin(), values.end());
}

class WordReader {
 public:
  explicit WordReader(std::span<const int64_t> words) : words_(words) {}
  int64_t Next() { return words_[at_++]; }
  int32_t Next32() { return static_cast<int32_t>(Next()); }
  // Appends a list to `all`.
  void Take(std::vector<int32_t>* all) {
    for (int64_t left = Next(); left > 0; --left) all->push_back(Next32());
  }

 private:
  std::span<const int64_t> words_;
  size_t at_ = 0;
};

}  // namespace

absl::Status AnnouncedCall::SendWords(Collective& transport) {
  words_[0] = std::ssize(words_);
  words_.resize(std::max(words_.size(), kFirstWords));
  RETURN_IF_ERROR(
      transport.Broadcast(std::as_writable_bytes(std::span(words_).first(kFirstWords))));
  if (words_.size() == kFirstWords) return absl::OkStatus();
  return transport.Broadcast(std::as_writable_bytes(std::span(words_).subspan(kFirstWords)));
}

absl::Status AnnouncedCall::Send(Collective& transport, const SymbolValues& symbols,
                                 std::span<const int32_t> tokens, const Batch& batch,
                                 std::span<const KvBlockChange> changes, bool is_recorded) {
  words_ = {0,         kCall,     is_recorded ? 1 : 0, symbols.t,
            symbols.r, symbols.s, symbols.sequences,   batch.block_positions};
  words_.push_back(std::ssize(changes));
  for (const KvBlockChange& change : changes) {
    words_.insert(words_.end(), {change.from, change.block, change.positions});
  }
  Append(&words_, tokens);
  for (std::span<const int32_t> list :
       {batch.token_seq, batch.token_pos, batch.token_slot, batch.out_rows}) {
    Append(&words_, list);
  }
  words_.push_back(std::ssize(batch.sequences));
  for (const BatchSequence& sequence : batch.sequences) {
    words_.insert(words_.end(), {sequence.first_token, sequence.count, sequence.length});
    Append(&words_, sequence.block_table);
  }
  return SendWords(transport);
}

absl::Status AnnouncedCall::SendEnd(Collective& transport) {
  words_ = {0, kEnd};
  return SendWords(transport);
}

absl::StatusOr<bool> AnnouncedCall::Receive(Collective& transport) {
  words_.assign(kFirstWords, 0);
  RETURN_IF_ERROR(transport.Broadcast(std::as_writable_bytes(std::span(words_))));
  if (const size_t count = static_cast<size_t>(words_[0]); count > kFirstWords) {
    words_.resize(count);
    RETURN_IF_ERROR(
        transport.Broadcast(std::as_writable_bytes(std::span(words_).subspan(kFirstWords))));
  }
  if (words_[1] == kEnd) return false;
  Read();
  return true;
}

void AnnouncedCall::Read() {
  WordReader reader(std::span<const int64_t>(words_).subspan(2));
  is_recorded_ = reader.Next() != 0;
  symbols_ = {reader.Next(), reader.Next(), reader.Next(), reader.Next()};
  batch_.block_positions = reader.Next32();
  changes_.resize(static_cast<size_t>(reader.Next()));
  for (KvBlockChange& change : changes_) {
    change = {reader.Next32(), reader.Next32(), reader.Next32()};
  }
  tokens_.clear();
  reader.Take(&tokens_);
  indices_.clear();
  indices_.reserve(words_.size());  // spans into it must stay valid
  auto take = [&]() -> std::span<const int32_t> {
    const size_t first = indices_.size();
    reader.Take(&indices_);
    return std::span<const int32_t>(indices_).subspan(first);
  };
  batch_.token_seq = take();
  batch_.token_pos = take();
  batch_.token_slot = take();
  batch_.out_rows = take();
  sequences_.resize(static_cast<size_t>(reader.Next()));
  for (BatchSequence& sequence : sequences_) {
    sequence.first_token = reader.Next32();
    sequence.count = reader.Next32();
    sequence.length = reader.Next32();
    sequence.block_table = take();
  }
  batch_.sequences = sequences_;
}

}  // namespace infer
