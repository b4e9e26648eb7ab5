// SPDX-License-Identifier: Apache-2.0
//
// Parts of answers that several APIs share, as JSON text.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tools/serve/api/answer.h"

namespace infer::serve {

std::string_view FinishName(Finish finish);  // "stop", "length", "tool_calls"

// {"prompt_tokens": ..., ...} of chats and completions.
void AppendUsage(const AnswerUsage& usage, std::string* out);
// {"cached_tokens": ..., "cache_end": ..., "queue_ms": ...}: what only this server tells.
void AppendServerFacts(const AnswerUsage& usage, std::string* out);

// [{"token": ..., "logprob": ..., "bytes": [...], "top_logprobs": [...]}, ...]
void AppendLogprobs(std::span<const LogprobEntry> entries, std::string* out);

// The token's text as a JSON string, with invalid UTF-8 replaced.
void AppendTokenText(const LogprobToken& token, std::string* out);

}  // namespace infer::serve
