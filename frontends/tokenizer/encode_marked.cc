// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "frontends/tokenizer/tokenizer.h"
#include "frontends/tokenizer/utf8.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

// Calls visit(begin, end, from_request) for each run of equally marked text, in order.
template <class Visit>
void ForEachRun(const MarkedText& text, const Visit& visit) {
  size_t pos = 0;
  for (const MarkedText::Range& range : text.request_ranges()) {
    if (pos < range.begin) visit(pos, range.begin, false);
    visit(range.begin, range.end, true);
    pos = range.end;
  }
  if (pos < text.size()) visit(pos, text.size(), false);
}

// Returns `text` itself if it is valid UTF-8, otherwise a repaired copy in `storage`. Each run is
// repaired by itself, so that no character joins trusted bytes and bytes of the request.
const MarkedText& Repaired(const MarkedText& text, MarkedText* storage) {
  std::string ignored;
  if (ReplaceInvalidUtf8(text.text(), &ignored).data() == text.text().data()) return text;
  ForEachRun(text, [&](size_t begin, size_t end, bool from_request) {
    std::string run;
    std::string_view bytes = std::string_view(text.text()).substr(begin, end - begin);
    storage->Append(ReplaceInvalidUtf8(bytes, &run), from_request);
  });
  return *storage;
}

bool IsWhiteSpace(std::string_view text) {
  return text.find_first_not_of(" \t\r\n\v\f") == std::string_view::npos;
}

}  // namespace

void Tokenizer::FindSpecials(std::string_view text, size_t begin, size_t end, bool from_request,
                             std::vector<SpecialTokens::Found>* found) const {
  text = text.substr(0, end);
  SpecialTokens::Search search(special_tokens_, vocabulary_, text);
  while (auto next = search.Next(begin)) {
    if (!from_request || (vocabulary_.type(next->id) == TokenType::kUserDefined &&
                          IsWhiteSpace(vocabulary_.text(next->id)))) {
      found->push_back(*next);
      begin = next->end;
    } else {
      begin = next->begin + 1;
    }
  }
}

absl::StatusOr<std::vector<int32_t>> Tokenizer::EncodeMarked(const MarkedText& text,
                                                             std::optional<bool> add_bos) const {
  if (text.size() > kMaxTextBytes) {
    return absl::InvalidArgumentError(StrCat("the conversation has ", text.size(),
                                             " bytes, the tokenizer's limit is ", kMaxTextBytes,
                                             ": leave out older messages"));
  }
  MarkedText storage;
  const MarkedText& valid = Repaired(text, &storage);
  std::vector<SpecialTokens::Found> specials;
  ForEachRun(valid, [&](size_t begin, size_t end, bool from_request) {
    FindSpecials(valid.text(), begin, end, from_request, &specials);
  });
  std::vector<int32_t> ids;
  // Llama's templates write bos themselves, and its files ask for it too.
  const bool begins_with_bos =
      !specials.empty() && specials[0].begin == 0 && specials[0].id == vocabulary_.bos();
  if (!begins_with_bos && add_bos.value_or(vocabulary_.add_bos()) &&
      vocabulary_.bos().has_value()) {
    ids.push_back(*vocabulary_.bos());
  }
  // Plain text is encoded across the borders of runs: the model was trained on such words.
  const std::string_view all = valid.text();
  BpeEncoder bpe = NewEncoder(all.size());
  size_t pos = 0;
  for (const SpecialTokens::Found& special : specials) {
    RETURN_IF_ERROR(EncodePlain(all.substr(pos, special.begin - pos), &bpe, &ids));
    ids.push_back(special.id);
    pos = special.end;
  }
  RETURN_IF_ERROR(EncodePlain(all.substr(pos), &bpe, &ids));
  return ids;
}

}  // namespace infer
