// SPDX-License-Identifier: Apache-2.0
//
// The text of a Program: a header, and its regimes with their graphs.
#include <utility>

#include "absl/strings/str_join.h"
#include "ir/policy/policy_text.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/text/program_fields.h"
#include "ir/text/text_reader.h"
#include "ir/text/text_writer.h"

namespace infer {

std::string PrintProgram(const Program& program) {
  std::string text = "program ";
  ValueNames no_values;
  TextWriter(&text, &no_values).WriteBlock(program, 0);
  text += "\n";
  for (const Regime& regime : program.regimes) {
    StrAppend(&text, "regime tokens(", regime.min_tokens, "..", regime.max_tokens, ")");
    if (!regime.kernel_choices.empty()) {
      StrAppend(&text, " kernel_choices [", absl::StrJoin(regime.kernel_choices, ", "), "]");
    }
    StrAppend(&text, "\n", PrintGraph(regime.graph));
  }
  return text;
}

bool TextReader::Read(Policy* policy, FieldStyle) {
  Token at = token_;
  std::string text;
  if (!Read(&text)) return false;
  absl::StatusOr<Policy> parsed = ParsePolicy(text, "policy");
  if (!parsed.ok()) return Fail(at, ToStd(parsed.status().message()));
  *policy = *std::move(parsed);
  return true;
}

namespace {

bool ReadRegime(TextReader& in, Regime* regime) {
  Range tokens;
  if (!in.Expect("tokens") || !in.Expect("(") || !in.ReadRange(&tokens) || !in.Expect(")")) {
    return false;
  }
  regime->min_tokens = tokens.min;
  regime->max_tokens = tokens.max;
  if (in.Accept("kernel_choices") && !in.Read(&regime->kernel_choices)) return false;
  return ReadGraph(in, &regime->graph);
}

bool ReadProgram(TextReader& in, Program* program) {
  if (!in.Expect("program")) return false;
  Token at = in.token();
  if (!in.Read(program)) return false;
  if (program->schema_version != kProgramSchemaVersion) {
    return in.Fail(at, StrCat("schema version ", program->schema_version, ", expected ",
                              kProgramSchemaVersion, "; compile the model again"));
  }
  while (in.Accept("regime")) {
    if (!in.CountItem() || !ReadRegime(in, &program->regimes.emplace_back())) return false;
  }
  return in.At(TokenKind::kEnd) || in.Expected("'regime' or the end of the text");
}

}  // namespace

absl::StatusOr<Program> ParseProgram(std::string_view text) {
  TextReader in(text);
  Program program;
  if (!ReadProgram(in, &program)) return in.status();
  return program;
}

}  // namespace infer
