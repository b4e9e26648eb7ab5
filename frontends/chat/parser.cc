// SPDX-License-Identifier: Apache-2.0
#include "frontends/chat/parser.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "frontends/chat/expression_parser.h"
#include "frontends/chat/token_stream.h"
#include "frontends/tokenizer/utf8.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer::chat {
namespace {

// A downloaded template of more than this is not one.
constexpr size_t kMaxTemplateBytes = size_t{1} << 20;

using Ends = std::initializer_list<std::string_view>;
using StatementPtr = std::unique_ptr<const Statement>;

std::unique_ptr<Statement> NewStatement(StatementKind kind, size_t offset) {
  auto statement = std::make_unique<Statement>();
  statement->kind = kind;
  statement->offset = offset;
  return statement;
}

class Parser {
 public:
  explicit Parser(TokenStream* stream) : stream_(*stream), expressions_(stream) {}

  // Parses up to the end of the template or up to a tag {% end %} of `ends`, whose name becomes
  // current.
  absl::Status ParseBody(Ends ends, size_t opened_at, Body* body) {
    TokenStream::Nesting nesting(&stream_);
    RETURN_IF_ERROR(nesting.Check());
    while (stream_.current().kind != TokenKind::kEnd) {
      const Token token = stream_.current();
      stream_.Skip();
      if (token.kind == TokenKind::kText) {
        auto text = NewStatement(StatementKind::kText, token.offset);
        text->text = MarkedText(token.text);
        body->push_back(std::move(text));
      } else if (token.kind == TokenKind::kPrint) {
        auto print = NewStatement(StatementKind::kPrint, token.offset);
        ASSIGN_OR_RETURN(print->value, expressions_.ParseTuple());
        RETURN_IF_ERROR(stream_.Expect(TokenKind::kPrintEnd, "}}"));
        body->push_back(std::move(print));
      } else {
        if (std::ranges::any_of(ends, [&](auto end) { return stream_.IsName(end); })) {
          return absl::OkStatus();
        }
        RETURN_IF_ERROR(ParseStatement(body));
      }
    }
    if (ends.size() == 0) return absl::OkStatus();
    return stream_.ErrorAt(
        opened_at, StrCat("this block has no end; add {% ", ends.begin()[ends.size() - 1], " %}"));
  }

 private:
  using Rule = absl::StatusOr<StatementPtr> (Parser::*)(size_t offset);

  absl::Status EndTag() { return stream_.Expect(TokenKind::kBlockEnd, "%}"); }

  // Parses a body and the tag that ends it, of which there is only one.
  absl::Status ParseBlock(std::string_view end, size_t offset, Body* body) {
    RETURN_IF_ERROR(ParseBody({end}, offset, body));
    stream_.Skip();
    return EndTag();
  }

  absl::Status ParseStatement(Body* body) {
    constexpr std::pair<std::string_view, Rule> kRules[] = {
        {"if", &Parser::ParseIf},         {"for", &Parser::ParseFor},
        {"set", &Parser::ParseSet},       {"macro", &Parser::ParseMacro},
        {"call", &Parser::ParseCall},     {"filter", &Parser::ParseFilter},
        {"with", &Parser::ParseWith},     {"break", &Parser::ParseJump},
        {"continue", &Parser::ParseJump},
    };
    const Token token = stream_.current();
    if (token.kind != TokenKind::kName) return stream_.Unexpected("a statement such as if or for");
    if (token.text == "generation") {  // marks what was generated, for training
      stream_.Skip();
      RETURN_IF_ERROR(EndTag());
      return ParseBlock("endgeneration", token.offset, body);
    }
    const auto* rule = std::ranges::find(kRules, std::string_view(token.text),
                                         &std::pair<std::string_view, Rule>::first);
    if (rule == std::end(kRules)) {
      return stream_.ErrorAt(token.offset,
                             StrCat("the statement '", token.text,
                                    "' is not supported; supported are if, for, set, macro, call, "
                                    "filter, with, break, continue, raw and generation"));
    }
    if (token.text != "break" && token.text != "continue") stream_.Skip();
    ASSIGN_OR_RETURN(StatementPtr statement, (this->*rule->second)(token.offset));
    body->push_back(std::move(statement));
    return absl::OkStatus();
  }

  absl::StatusOr<StatementPtr> ParseIf(size_t offset) {
    auto statement = NewStatement(StatementKind::kIf, offset);
    bool is_else = false;
    while (true) {
      Branch& branch = statement->branches.emplace_back();
      if (!is_else) {
        ASSIGN_OR_RETURN(branch.condition, expressions_.ParseTuple(false));
      }
      RETURN_IF_ERROR(EndTag());
      RETURN_IF_ERROR(is_else ? ParseBody({"endif"}, offset, &branch.body)
                              : ParseBody({"elif", "else", "endif"}, offset, &branch.body));
      const bool ends = stream_.IsName("endif");
      is_else = stream_.IsName("else");
      stream_.Skip();
      if (ends) break;
    }
    RETURN_IF_ERROR(EndTag());
    return statement;
  }

  absl::StatusOr<StatementPtr> ParseFor(size_t offset) {
    auto statement = NewStatement(StatementKind::kFor, offset);
    ASSIGN_OR_RETURN(Target target, ParseTargets());
    statement->targets.push_back(std::move(target));
    if (!stream_.SkipName("in")) return stream_.Unexpected("'in'");
    ASSIGN_OR_RETURN(statement->value, expressions_.ParseTuple(false));
    if (stream_.SkipName("if")) {
      ASSIGN_OR_RETURN(statement->condition, expressions_.Parse());
    }
    if (stream_.IsName("recursive")) {
      return stream_.ErrorAt(stream_.current().offset,
                             "recursive loops are not supported; call a macro instead");
    }
    RETURN_IF_ERROR(EndTag());
    ++loops_;
    RETURN_IF_ERROR(ParseBody({"else", "endfor"}, offset, &statement->body));
    --loops_;
    if (stream_.SkipName("else")) {
      RETURN_IF_ERROR(EndTag());
      RETURN_IF_ERROR(ParseBody({"endfor"}, offset, &statement->otherwise));
    }
    stream_.Skip();
    RETURN_IF_ERROR(EndTag());
    return statement;
  }

  // A target, or several separated by commas, perhaps in parentheses.
  absl::StatusOr<Target> ParseTargets() {
    Target tuple;
    tuple.offset = stream_.current().offset;
    ASSIGN_OR_RETURN(Target first, ParseTarget());
    if (!stream_.IsOperator(",")) return first;
    tuple.parts.push_back(std::move(first));
    while (stream_.SkipOperator(",")) {
      if (stream_.IsName("in") || stream_.IsOperator("=") || stream_.IsOperator(")")) break;
      ASSIGN_OR_RETURN(Target part, ParseTarget());
      tuple.parts.push_back(std::move(part));
    }
    return tuple;
  }

  absl::StatusOr<Target> ParseTarget() {
    TokenStream::Nesting nesting(&stream_);
    RETURN_IF_ERROR(nesting.Check());
    Target target;
    target.offset = stream_.current().offset;
    if (stream_.SkipOperator("(")) {
      ASSIGN_OR_RETURN(target, ParseTargets());
      RETURN_IF_ERROR(stream_.ExpectOperator(")"));
      return target;
    }
    const std::string name = stream_.current().text;
    constexpr std::string_view kReserved[] = {"true",  "false", "none", "True",
                                              "False", "None",  "loop"};
    if (std::ranges::count(kReserved, name) > 0) {
      return stream_.ErrorAt(target.offset, StrCat("'", name, "' cannot be assigned to"));
    }
    RETURN_IF_ERROR(stream_.Expect(TokenKind::kName, "the name of a variable"));
    target.name_id = stream_.NameId(name);
    if (stream_.SkipOperator(".")) {
      target.attribute = stream_.current().text;
      RETURN_IF_ERROR(stream_.Expect(TokenKind::kName, "the name of an attribute"));
    }
    return target;
  }

  absl::StatusOr<StatementPtr> ParseSet(size_t offset) {
    auto statement = NewStatement(StatementKind::kSet, offset);
    ASSIGN_OR_RETURN(Target target, ParseTargets());
    statement->targets.push_back(std::move(target));
    if (stream_.SkipOperator("=")) {
      ASSIGN_OR_RETURN(statement->value, expressions_.ParseTuple());
      RETURN_IF_ERROR(EndTag());
      return statement;
    }
    statement->kind = StatementKind::kSetBlock;
    if (stream_.SkipOperator("|")) {
      ASSIGN_OR_RETURN(statement->value, expressions_.ParseFilterChain(Captured(offset)));
    }
    RETURN_IF_ERROR(EndTag());
    RETURN_IF_ERROR(ParseBlock("endset", offset, &statement->body));
    return statement;
  }

  ExprPtr Captured(size_t offset) {
    auto name = NewExpr(ExprKind::kName, offset);
    name->name_id = stream_.NameId(kCapturedName);
    return name;
  }

  absl::Status ParseParameters(std::vector<Parameter>* parameters) {
    RETURN_IF_ERROR(stream_.ExpectOperator("("));
    while (!stream_.IsOperator(")")) {
      if (!parameters->empty()) RETURN_IF_ERROR(stream_.ExpectOperator(","));
      if (stream_.IsOperator(")")) break;
      Parameter& parameter = parameters->emplace_back();
      parameter.name = stream_.current().text;
      parameter.name_id = stream_.NameId(parameter.name);
      RETURN_IF_ERROR(stream_.Expect(TokenKind::kName, "the name of a parameter"));
      if (stream_.SkipOperator("=")) {
        ASSIGN_OR_RETURN(parameter.initial, expressions_.Parse());
      } else if (parameters->size() > 1 && (*parameters)[parameters->size() - 2].initial) {
        return stream_.ErrorAt(stream_.current().offset,
                               StrCat("the parameter '", parameter.name,
                                      "' needs a default, because the one before it has one"));
      }
    }
    stream_.Skip();
    return absl::OkStatus();
  }

  // Loops outside of a macro are not those that break leaves.
  absl::Status ParseMacroBody(std::string_view end, Statement* statement) {
    const int loops = std::exchange(loops_, 0);
    RETURN_IF_ERROR(ParseBlock(end, statement->offset, &statement->body));
    loops_ = loops;
    return absl::OkStatus();
  }

  absl::StatusOr<StatementPtr> ParseMacro(size_t offset) {
    auto statement = NewStatement(StatementKind::kMacro, offset);
    statement->name = stream_.current().text;
    statement->name_id = stream_.NameId(statement->name);
    RETURN_IF_ERROR(stream_.Expect(TokenKind::kName, "the name of a macro"));
    RETURN_IF_ERROR(ParseParameters(&statement->parameters));
    RETURN_IF_ERROR(EndTag());
    RETURN_IF_ERROR(ParseMacroBody("endmacro", statement.get()));
    return statement;
  }

  absl::StatusOr<StatementPtr> ParseCall(size_t offset) {
    auto statement = NewStatement(StatementKind::kCallBlock, offset);
    if (stream_.IsOperator("(")) RETURN_IF_ERROR(ParseParameters(&statement->parameters));
    ASSIGN_OR_RETURN(statement->value, expressions_.Parse());
    if (statement->value->kind != ExprKind::kCall) {
      return stream_.ErrorAt(offset, "call needs a call of a macro, such as {% call m() %}");
    }
    RETURN_IF_ERROR(EndTag());
    RETURN_IF_ERROR(ParseMacroBody("endcall", statement.get()));
    return statement;
  }

  absl::StatusOr<StatementPtr> ParseFilter(size_t offset) {
    auto statement = NewStatement(StatementKind::kFilterBlock, offset);
    ASSIGN_OR_RETURN(statement->value, expressions_.ParseFilterChain(Captured(offset)));
    RETURN_IF_ERROR(EndTag());
    RETURN_IF_ERROR(ParseBlock("endfilter", offset, &statement->body));
    return statement;
  }

  absl::StatusOr<StatementPtr> ParseWith(size_t offset) {
    auto statement = NewStatement(StatementKind::kWith, offset);
    while (stream_.current().kind != TokenKind::kBlockEnd) {
      if (!statement->targets.empty()) RETURN_IF_ERROR(stream_.ExpectOperator(","));
      ASSIGN_OR_RETURN(Target target, ParseTarget());
      RETURN_IF_ERROR(stream_.ExpectOperator("="));
      ASSIGN_OR_RETURN(ExprPtr value, expressions_.Parse());
      statement->targets.push_back(std::move(target));
      statement->values.push_back(std::move(value));
    }
    RETURN_IF_ERROR(EndTag());
    RETURN_IF_ERROR(ParseBlock("endwith", offset, &statement->body));
    return statement;
  }

  absl::StatusOr<StatementPtr> ParseJump(size_t offset) {
    const bool is_break = stream_.IsName("break");
    if (loops_ == 0) {
      return stream_.ErrorAt(offset, StrCat("'", stream_.current().text, "' outside of a loop"));
    }
    stream_.Skip();
    RETURN_IF_ERROR(EndTag());
    return NewStatement(is_break ? StatementKind::kBreak : StatementKind::kContinue, offset);
  }

  TokenStream& stream_;
  ExpressionParser expressions_;
  int loops_ = 0;
};

// Line ends become \n, and one at the end of the template is dropped.
std::string NormalizeLines(std::string_view source) {
  std::string out;
  out.reserve(source.size());
  for (size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '\r' && i + 1 < source.size() && source[i + 1] == '\n') continue;
    out += source[i] == '\r' ? '\n' : source[i];
  }
  if (out.ends_with('\n')) out.pop_back();
  return out;
}

}  // namespace

absl::StatusOr<std::unique_ptr<const TemplateTree>> ParseTemplate(std::string_view source) {
  if (source.size() > kMaxTemplateBytes) {
    return absl::InvalidArgumentError(StrCat("the chat template has ", source.size(),
                                             " bytes, at most ", kMaxTemplateBytes,
                                             " are supported"));
  }
  auto tree = std::make_unique<TemplateTree>();
  std::string storage;
  tree->source = NormalizeLines(ReplaceInvalidUtf8(source, &storage));
  ASSIGN_OR_RETURN(std::vector<Token> tokens, LexTemplate(tree->source));
  TokenStream stream(tree->source, std::move(tokens));
  tree->loop_id = stream.NameId("loop");
  tree->caller_id = stream.NameId("caller");
  tree->captured_id = stream.NameId(kCapturedName);
  RETURN_IF_ERROR(Parser(&stream).ParseBody({}, 0, &tree->body));
  tree->names = stream.TakeNames();
  return tree;
}

}  // namespace infer::chat
