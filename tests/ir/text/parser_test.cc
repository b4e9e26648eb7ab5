// SPDX-License-Identifier: Apache-2.0
#include "ir/text/parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "ir/base/strings.h"
#include "ir/ops/ops.h"
#include "ir/text/lexer.h"
#include "ir/text/printer.h"
#include "ir/text/text_reader.h"
#include "tests/ir/same_graph.h"
#include "tests/ir/sample_graphs.h"

namespace infer {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::string_view kGraphHead = "graph @g stage(bound) (%x: f32[T,8], %b: batch) {\n";

std::string ParseError(std::string_view text) {
  absl::StatusOr<Graph> graph = ParseGraph(text);
  if (graph.ok()) return "";
  EXPECT_EQ(graph.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(graph.status().message());
}

// A body behind kGraphHead, which is line 1, so that the body starts on line 2.
std::string BodyError(std::string_view body) { return ParseError(StrCat(kGraphHead, body)); }

TEST(Parser, TakesCommentsBlanksAndAnyOrderOfAttributes) {
  absl::StatusOr<Graph> graph = ParseGraph(
      "# a comment\ngraph @g stage ( bound )\t(%x:f32[T,8])# more { }\n{%y=slice_columns(%x){"
      "columns=2,\r\nbegin = 1}:f32[T,2]\nreturn %y }# the end");
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(PrintGraph(*graph),
            "graph @g stage(bound) (%x: f32[T,8]) {\n"
            "  %y = slice_columns(%x) {begin = 1, columns = 2} : f32[T,2]\n"
            "  return %y\n"
            "}\n");
}

TEST(Parser, TakesTypesAsWritten) {
  absl::StatusOr<Graph> graph = ParseGraph(StrCat(kGraphHead, "%y = silu(%x) : i8[3] return %y }"));
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->results()[0].type(), ValueType::Tensor(DType::kI8, {3}));
}

TEST(Parser, NumbersMayStandForDoubles) {
  absl::StatusOr<Graph> graph =
      ParseGraph(StrCat(kGraphHead, "%y = scale(%x) {factor = 2} : f32[T,8] return %y }"));
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->NodesOf(ops::kScale)[0]->attr<double>(0), 2.0);
}

TEST(Parser, NumberedNamesAreNoNames) {
  absl::StatusOr<Graph> graph = ParseGraph(
      StrCat(kGraphHead, "%7 = silu(%x) : f32[T,8] %a~3 = silu(%7) : f32[T,8] return }"));
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->NodesOf(ops::kSilu)[0]->result().name, "");
  EXPECT_EQ(graph->NodesOf(ops::kSilu)[1]->result().name, "a");
}

struct TextDefect {
  std::string_view text;
  std::string_view message;
};

TEST(Parser, HeaderErrorsSayWhereAndWhat) {
  const TextDefect kDefects[] = {
      {"", "1:1: expected 'graph', found the end of the text"},
      {"grahp @g", "1:1: expected 'graph', found 'grahp'"},
      {"graph g", "1:7: expected the graph's @name, found 'g'"},
      {"graph @\"\\q\" stage", "1:7: bad escape in"},
      {"graph @g stage(bond) () {}", "1:16: unknown stage 'bond' (did you mean bound?)"},
      {"graph @g stage(bound) symbols(Q = 1..2) () {}", "1:31: expected a symbol: T, R or S"},
      {"graph @g stage(bound) symbols(T = 1..2, T = 1..2) ()", "1:41: symbol 'T' is given twice"},
      {"graph @g stage(bound) symbols(T = 1-2) ()", "1:36: expected '..', found '-2'"},
      {"graph @g stage(bound) symbols(T = 0..0) ()", "1:31: the range of 'T' ends at 0"},
      {"graph @g stage(bound) symbols(T = 1..9223372036854775808) ()", "expected a whole number"},
      {"graph @g stage(bound) (%x: f32[T], %x: f32[T]) {}", "1:36: value '%x' is defined twice"},
      {"graph @g stage(bound) (%x: f33[T]) {}", "1:28: unknown type 'f33' (did you mean f32?)"},
      {"graph @g stage(bound) (%x: \"f32\") {}", "1:28: expected a type, found '\\\"f32\\\"'"},
      {"graph @g stage(bound) (%x: f32[0]) {}", "1:32: expected a whole number from 1 to 2147483"},
      {"graph @g stage(bound) (%x: f32[-3]) {}", "1:32: expected a whole number from 1"},
      {"graph @g stage(bound) (%x: f32[2147483648]) {}", "1:32: expected a whole number from 1"},
      {"graph @g stage(bound) (%x: f32[1.5]) {}", "1:32: expected a whole number from 1"},
      {"graph @g stage(bound) (%x: f32[U]) {}", "1:32: expected a dimension: a number, T, R or S"},
      {"graph @g stage(bound) (%x: f32[1,1,1,1,1]) {}", "1:40: a shape has at most 4 dimensions"},
      {"graph @g stage(bound) (%x: kv[1,2]) {}", "1:30: expected '<', found '['"},
      {"graph @g stage(bound) (%x f32) {}", "1:27: expected ':', found 'f32'"},
      {"graph @g stage(bound) (%x: batch %y: batch) {}", "1:34: expected ',', found '%y'"},
      {"graph @g stage(bound) (%x: batch in \"+a\", %y: f32[1] from \"b\", \"c\") {}",
       "1:54: expected 1 origins, found 2"},
      {"graph @g stage(bound) () {} graph", "1:27: expected 'return', found '}'"},
      {"graph @g stage(bound) () { return } graph", "1:37: expected the end of the text, found"},
      {"graph @g stage(bound) () { return", "expected '}', found the end of the text"},
  };
  for (const TextDefect& defect : kDefects) {
    EXPECT_THAT(ParseError(defect.text), HasSubstr(defect.message)) << defect.text;
  }
}

TEST(Parser, NodeErrorsSayWhereAndWhat) {
  const TextDefect kDefects[] = {
      {"  %y = lienar(%x) : f32[1] return }", "2:8: unknown op 'lienar' (did you mean linear?)"},
      {"  %y = q_q_q(%x) : f32[1] return }", "2:8: unknown op 'q_q_q'"},
      {"  %y = input() : f32[1] return }",
       "2:8: 'input' is not allowed here; inputs are declared in the graph's header"},
      {"  %y = silu(%z) : f32[1] return }", "2:13: value '%z' is not defined before its use"},
      {"  %y = silu(%y) : f32[1] return }", "2:13: value '%y' is not defined before its use"},
      {"  %x = silu(%x) : f32[1] return }", "2:3: value '%x' is defined twice"},
      {"  %y, %y = argmax(%x) : i32[T], f32[T] return }", "2:7: value '%y' is defined twice"},
      {"  %y = argmax(%x) : i32[T] return }", "2:8: argmax has 2 results, found 1 names and 1"},
      {"  %y, %z = argmax(%x) : i32[T] return }", "argmax has 2 results, found 2 names and 1 type"},
      {"  %y, %z = silu(%x) : f32[1], f32[1] return }", "silu has 1 results, found 2 names"},
      {"  %y = scale(%x) : f32[1] return }", "2:8: scale lacks its attribute 'factor' of kind"},
      {"  %y = scale(%x) {fctor = 1.0} : f32[1] return }",
       "2:19: unknown attribute 'fctor' of scale (did you mean factor?)"},
      {"  %y = silu(%x) {factor = 1.0} : f32[1] return }", "unknown attribute 'factor' of silu"},
      {"  %y = scale(%x) {factor = 1.0, factor = 1.0} : f32[1] return }",
       "2:33: attribute 'factor' is given twice"},
      {"  %y = scale(%x) {factor = \"1\"} : f32[1] return }", "2:28: expected a number, found"},
      {"  %y = scale(%x) {factor = 1e999} : f32[1] return }", "2:28: expected a number, found '1e"},
      {"  %y = scale(%x) {factor = 1.0.0} : f32[1] return }", "2:28: expected a number, found"},
      {"  %y = scale(%x) {factor = infinity} : f32[1] return }", "expected a number, found 'infi"},
      {"  %y = slice_columns(%x) {begin = 1.0, columns = 1} : f32[1] return }",
       "2:35: expected a whole number"},
      {"  %y = slice_columns(%x) {begin = 99999999999999999999, columns = 1} : f32[1] return }",
       "2:35: expected a whole number"},
      {"  %y = reshape(%x) {dims = 3} : f32[1] return }", "2:28: expected '[', found '3'"},
      {"  %y = weight() {name = token_embd} : f32[1] return }", "expected a string in double quot"},
      {"  %y = weight() {name = \"open} : f32[1]\n return }",
       "2:25: expected a string in double "
       "quotes, found a string without"},
      {"  %y = weight() {name = \"\\xzz\"} : f32[1] return }", "2:25: bad escape in"},
      {"  %y = silu(%x %x) : f32[1] return }", "2:16: expected ',', found '%x'"},
      {"  %y = silu %x : f32[1] return }", "2:13: expected '(', found '%x'"},
      {"  %y = silu(%x) f32[1] return }", "2:17: expected ':', found 'f32'"},
      {"  %y silu(%x) : f32[1] return }", "2:6: expected '=', found 'silu'"},
      {"  y = silu(%x) : f32[1] return }", "2:3: expected 'return', found 'y'"},
      {"  % = silu(%x) : f32[1] return }", "2:3: expected 'return', found '%'"},
      {"  %y = silu(%x) : f32[1] in scope return }", "2:29: expected a string in double quotes"},
      {"  %y = silu(%x) : f32[1] from \"a\", \"b\" return }", "2:26: expected 1 origins, found 2"},
      {"  %y = silu(%x) : f32[1] ! return }", "2:26: expected 'return', found '!'"},
      {"  return %q }", "2:10: value '%q' is not defined before its use"},
      {"  return %x, }", "2:14: expected a value, found '}'"},
  };
  for (const TextDefect& defect : kDefects) {
    EXPECT_THAT(BodyError(defect.text), HasSubstr(defect.message)) << defect.text;
  }
}

TEST(Parser, RecordErrorsSayWhereAndWhat) {
  const TextDefect kDefects[] = {
      {"%y = silu(%x) : f32[1] @simt {} return }", "2:24: unknown target 'simt' (did you mean"},
      {"%y = silu(%x) : f32[1] @simd return }", "2:30: expected '{', found 'return'"},
      {"%y = silu(%x) : f32[1] @simd {kernle = \"a\"} return }",
       "2:31: unknown field 'kernle' (did you mean kernel?)"},
      {"%y = silu(%x) : f32[1] @simd {rule = \"a\", rule = \"a\"} return }",
       "2:43: field 'rule' is given twice"},
      {"%y = silu(%x) : f32[1] @simd {source = fate} return }", "2:40: unknown name 'fate'"},
      {"%y = silu(%x) : f32[1] @simd {terms = [{lo = x}]} return }", "2:46: expected a number"},
      {"%y = silu(%x) : f32[1] @simd {terms = [{} {}]} return }", "2:43: expected ',', found '{'"},
      {"%y = silu(%x) : f32[1] @simd {cost = {flops = 3}} return }", "2:47: expected '{', found"},
      {"%y = silu(%x) : f32[1] @simd [] return }", "2:30: expected '{', found '['"},
      {"return plan {segment = []} }", "2:14: unknown field 'segment' (did you mean segments?)"},
      {"return plan {slots = [{value = %q}]} }", "2:32: value '%q' is not defined before its use"},
      {"return plan {slots = [{value = 3}]} }", "2:32: expected a value, found '3'"},
      {"return plan {slots = [{bytes = -1}]} }",
       "2:32: expected a whole number from 0 to 18446744"},
      {"return plan {slots = [{first_step = 2147483648}]} }", "2:37: expected a whole number from"},
      {"return plan {segments = [{steps = [{barrier_after = 1}]}]} }",
       "2:53: expected true or false, found '1'"},
      {"return plan {arenas = [{space = gpu}]} }", "2:33: unknown name 'gpu' for this field"},
      {"%i, %p = argmax(%x) : i32[T], f32[T] return plan {segments = [{steps = [{node = %p}]}]} }",
       "'%p' is not the first result of its node"},
  };
  for (const TextDefect& defect : kDefects) {
    EXPECT_THAT(BodyError(defect.text), HasSubstr(defect.message)) << defect.text;
  }
}

TEST(Parser, MessagesStayOnOneShortLine) {
  std::string error = BodyError(StrCat("%y = ", std::string(100000, 'a'), "() return }"));
  EXPECT_LT(error.size(), 200u);
  error = BodyError("%y = scale(%x) {factor = \"\x01\n\"}");
  EXPECT_EQ(error.find('\n'), std::string::npos);
  EXPECT_EQ(error.find('\x01'), std::string::npos);
}

TEST(Parser, RefusesMoreTextThanItsLimit) {
  std::string text(TextReader::kMaxTextBytes + 1, ' ');
  EXPECT_THAT(ParseError(text), HasSubstr("bytes, at most 67108864 are read"));
}

TEST(Parser, RefusesMoreNodesThanItsLimit) {
  std::string text = "graph @g stage(bound) (";
  for (size_t i = 0; i <= TextReader::kMaxNodes; ++i) StrAppend(&text, "%", i, ":batch,");
  EXPECT_THAT(ParseError(text), HasSubstr("more than 1048576 nodes"));
}

TEST(Parser, DeepNestingEndsAtTheFirstUnexpectedBracket) {
  std::string deep(1 << 20, '[');
  EXPECT_THAT(BodyError(StrCat("return plan {slots = ", deep)), HasSubstr("2:23: expected '{'"));
  EXPECT_THAT(BodyError(StrCat("%y = reshape(%x) {dims = ", deep)), HasSubstr("whole number"));
}

std::vector<std::string> TokensOf(std::string_view text) {
  std::vector<std::string> tokens;
  Lexer lexer(text);
  for (Token token = lexer.Next(); token.kind != TokenKind::kEnd; token = lexer.Next()) {
    tokens.emplace_back(token.text);
  }
  return tokens;
}

// What is damaged must be refused or mean something; a crash or a leak fails under the sanitizers.
void ExpectRefusedOrStable(std::string_view text, int* accepted) {
  absl::StatusOr<Graph> graph = ParseGraph(text);
  if (!graph.ok()) {
    EXPECT_THAT(std::string(graph.status().message()),
                ::testing::ContainsRegex("^[0-9]+:[0-9]+: "));
    return;
  }
  ++*accepted;
  std::string printed = PrintGraph(*graph);
  absl::StatusOr<Graph> again = ParseGraph(printed);
  ASSERT_TRUE(again.ok()) << again.status() << "\n" << printed;
  EXPECT_EQ(PrintGraph(*again), printed);
}

TEST(Parser, SurvivesDamagedTokens) {
  const std::vector<std::string> extra = {
      "{",     "}",    "[",      "]",     "(",    ")",  ",",    "=",         ":", "..",
      "0",     "-1",   "nan",    "1e999", "%0",   "@x", "\"\"", "\"\\x80\"", "T", "batch",
      "graph", "plan", "return", "from",  "none", "in", "%?",   "\"",        "#", "0x"};
  std::mt19937 random(1);
  int accepted = 0;
  for (int round = 0; round < 20000; ++round) {
    Stage stage = round % 10 == 0 ? Stage::kPlanned : Stage::kBound;
    static const std::vector<std::string> kBound =
        TokensOf(PrintGraph(SampleTextGraph(Stage::kBound)));
    static const std::vector<std::string> kFull =
        TokensOf(PrintGraph(SampleTextGraph(Stage::kPlanned)));
    std::vector<std::string> tokens = stage == Stage::kBound ? kBound : kFull;
    for (unsigned damage = random() % 3 + 1; damage > 0; --damage) {
      size_t at = random() % tokens.size();
      switch (random() % 4) {
        case 0:
          tokens.erase(tokens.begin() + at);
          break;
        case 1:
          tokens.insert(tokens.begin() + at, std::string(tokens[at]));
          break;
        case 2:
          tokens[at] = std::string(tokens[random() % tokens.size()]);
          break;
        case 3:
          tokens[at] = extra[random() % extra.size()];
          break;
      }
    }
    std::string text;
    for (const std::string& token : tokens) StrAppend(&text, token, " ");
    ExpectRefusedOrStable(text, &accepted);
  }
  EXPECT_GT(accepted, 100);  // else the damage is too crude to reach anything
}

TEST(Parser, SurvivesDamagedBytes) {
  const std::string text = PrintGraph(SampleTextGraph(Stage::kPlanned));
  std::mt19937 random(2);
  int accepted = 0;
  for (int round = 0; round < 2000; ++round) {
    std::string damaged = text;
    for (int i = 0; i < 3; ++i) {
      damaged[random() % damaged.size()] = static_cast<char>(random() % 256);
    }
    ExpectRefusedOrStable(damaged, &accepted);
    ExpectRefusedOrStable(std::string_view(text).substr(0, random() % text.size()), &accepted);
  }
}

}  // namespace
}  // namespace infer
