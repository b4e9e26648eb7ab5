// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/flag_advice.h"

#include <string>

#include "ir/base/advice.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

struct AdviceText {
  Advice advice;
  std::string_view flag;  // required of the tool; empty if the advice is another tool's command
  std::string_view text;
};

constexpr AdviceText kTexts[] = {
    {Advice::kContext, "--ctx-size", "-c"},
    {Advice::kChunk, "--ubatch-size", "-ub"},
    {Advice::kThreads, "--threads", "-t"},
    {Advice::kKvType, "--kv-type", "--kv-type"},
    {Advice::kModel, "--model", "-m"},
    {Advice::kCompile, "", "infer-compile"},
    {Advice::kCompileContext, "", "infer-compile -c"},
    {Advice::kFallback, "--strict", "without --strict"},
    {Advice::kReference, "--policy", "--policy reference"},
    {Advice::kPlace, "--place", "--place"},
    {Advice::kTensorOverride, "--override-tensor", "-ot"},
    {Advice::kProfileInput, "", "infer-profile, infer-viz --profile"},
    {Advice::kProgramInput, "", "infer-run -g, infer-viz"},
    {Advice::kProfile, "", "infer-run --profile"},
    {Advice::kCalibrate, "", "infer-bench --calibrate"},
    {Advice::kListPasses, "", "infer-opt --list-passes"},
    {Advice::kCheckFile, "", "gguf-inspect verify"},
};

}  // namespace

absl::Status WithFlagAdvice(const absl::Status& status,
                            const std::function<bool(std::string_view)>& has_flag) {
  std::string texts;
  for (Advice advice : AdviceOf(status)) {
    for (const AdviceText& row : kTexts) {
      if (row.advice != advice || (!row.flag.empty() && !has_flag(row.flag))) continue;
      StrAppend(&texts, texts.empty() ? " (" : ", ", row.text);
    }
  }
  if (texts.empty()) return status;
  return WithMessage(status, StrCat(ToStd(status.message()), texts, ")"));
}

}  // namespace infer
