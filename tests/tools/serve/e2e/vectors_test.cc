// SPDX-License-Identifier: Apache-2.0
//
// The whole server with models that give vectors and scores, over sockets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "ir/base/json.h"
#include "tests/tools/e2e/tool_run.h"
#include "tests/tools/serve/e2e/server_process.h"

namespace infer::serve {
namespace {

using ::testing::HasSubstr;
using Vector = std::vector<float>;

constexpr char kEmbeddings[] = "/v1/embeddings";
constexpr char kRerank[] = "/v1/rerank";
const std::string kText = "The otter lives in the lake.";

std::vector<std::string> Embedding() { return {"-m", TestData("random_embedding.gguf")}; }
std::vector<std::string> Reranker() { return {"-m", TestData("random_reranker.gguf")}; }

std::vector<Vector> VectorsOf(const std::string& body) {
  std::vector<Vector> vectors;
  const Json answer = Json::parse(body, nullptr, /*allow_exceptions=*/false);
  EXPECT_TRUE(answer.contains("data")) << body;
  if (!answer.contains("data")) return vectors;
  for (const Json& one : answer["data"]) vectors.push_back(one["embedding"].get<Vector>());
  return vectors;
}

// The server is invariant unless told otherwise.
TEST(ServedVectors, AreThoseOfInferEmbed) {
  ServerProcess server(Embedding());
  std::vector<std::string> args = Embedding();
  args.insert(args.end(), {"-p", kText, "-q", "--invariant"});
  const std::vector<Vector> expected = VectorsOf(OutputOf("infer-embed", args));
  ASSERT_EQ(expected.size(), 1u);
  const http::RawAnswer answer = server.Request("POST", kEmbeddings, Json{{"input", kText}}.dump());
  ASSERT_EQ(answer.status, 200) << answer.body;
  const std::vector<Vector> found = VectorsOf(answer.body);
  ASSERT_EQ(found.size(), 1u);
  ASSERT_EQ(found[0].size(), expected[0].size());
  for (size_t i = 0; i < found[0].size(); ++i) EXPECT_NEAR(found[0][i], expected[0][i], 1e-7);
}

TEST(ServedVectors, AreTheSameForClientsThatAskAtTheSameTime) {
  ServerProcess server(Embedding());
  const std::string body = Json{{"input", {kText, "a tale", kText}}}.dump();
  const std::string alone = server.Request("POST", kEmbeddings, body).body;
  const std::vector<Vector> vectors = VectorsOf(alone);
  ASSERT_EQ(vectors.size(), 3u);
  std::vector<std::string> together(8);
  std::vector<std::thread> clients;
  for (std::string& answer : together) {
    clients.emplace_back([&] { answer = server.Request("POST", kEmbeddings, body).body; });
  }
  for (std::thread& client : clients) client.join();
  for (const std::string& answer : together) EXPECT_EQ(answer, alone);
}

TEST(ServedScores, AreThoseOfInferEmbed) {
  ServerProcess server(Reranker());
  std::vector<std::string> args = Reranker();
  args.insert(args.end(),
              {"-p", kText, "-p", "a tale", "--rerank", "Who lives?", "-q", "--invariant"});
  const Json expected = Json::parse(OutputOf("infer-embed", args));
  const Json request = {{"query", "Who lives?"}, {"documents", {kText, "a tale"}}};
  const http::RawAnswer answer = server.Request("POST", kRerank, request.dump());
  ASSERT_EQ(answer.status, 200) << answer.body;
  const Json found = Json::parse(answer.body);
  ASSERT_EQ(found["results"].size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(found["results"][i]["index"], expected["results"][i]["index"]);
    EXPECT_NEAR(found["results"][i]["relevance_score"].get<double>(),
                expected["results"][i]["relevance_score"].get<double>(), 1e-5);
  }
}

// Whatever a client sends gets an error with a message, and the next client its answer.
void ExpectRefusals(const ServerProcess& server, const std::string& route,
                    const std::vector<std::string>& bodies) {
  for (const std::string& body : bodies) {
    const http::RawAnswer answer = server.Request("POST", route, body);
    EXPECT_EQ(answer.status, 400) << body.substr(0, 200);
    const Json error = Json::parse(answer.body, nullptr, /*allow_exceptions=*/false);
    EXPECT_TRUE(error.is_object() && error.contains("error")) << answer.body;
  }
}

std::string Nested(int depth) {
  return "{\"input\":" + std::string(depth, '[') + std::string(depth, ']') + "}";
}

TEST(ServedVectors, SurviveHostileRequests) {
  ServerProcess server(Embedding());
  const std::string good = Json{{"input", kText}}.dump();
  const std::string before = server.Request("POST", kEmbeddings, good).body;
  ExpectRefusals(server, kEmbeddings,
                 {"null",
                  "[]",
                  "\"input\"",
                  "{",
                  "{}",
                  R"({"input": null})",
                  R"({"input": {}})",
                  R"({"input": true})",
                  R"({"input": 1})",
                  R"({"input": [[]]})",
                  R"({"input": [[[1]]]})",
                  R"({"input": [1, "a"]})",
                  R"({"input": ["a", [1]], "dimensions": 0})",
                  R"({"input": [-1]})",
                  R"({"input": [99999999999999999999]})",
                  R"({"input": [1e300]})",
                  R"({"input": "a", "dimensions": 1e9})",
                  R"({"input": "a", "dimensions": "4"})",
                  R"({"input": "a", "encoding_format": 3})",
                  R"({"input": "a", "instruction": []})",
                  "{\"input\": \"\xff\xfe\"}",
                  R"({"input": "\ud800"})",
                  Nested(5000),
                  Json{{"input", std::vector<std::string>(2049, "a")}}.dump(),
                  Json{{"input", std::string(400000, 'a')}}.dump()});
  EXPECT_EQ(server.Request("GET", kEmbeddings).status, 405);
  EXPECT_EQ(server.Request("POST", kRerank, R"({"query": "a", "documents": ["b"]})").status, 400);
  EXPECT_EQ(server.Request("POST", kEmbeddings, good).body, before);
}

TEST(ServedScores, SurviveHostileRequests) {
  ServerProcess server(Reranker());
  const std::string good = R"({"query": "a", "documents": ["b", "c"]})";
  const std::string before = server.Request("POST", kRerank, good).body;
  ExpectRefusals(
      server, kRerank,
      {"[]", "{}", R"({"query": "a"})", R"({"documents": ["a"]})",
       R"({"query": "", "documents": ["a"]})", R"({"query": 5, "documents": ["a"]})",
       R"({"query": "a", "documents": []})", R"({"query": "a", "documents": "a"})",
       R"({"query": "a", "documents": {"text": "a"}})", R"({"query": "a", "documents": [{}]})",
       R"({"query": "a", "documents": [{"text": 1}]})", R"({"query": "a", "documents": [null]})",
       R"({"query": "a", "documents": ["a"], "top_n": -1})",
       R"({"query": "a", "documents": ["a"], "top_n": 1.5})",
       R"({"query": "a", "documents": ["a"], "return_documents": 1})",
       R"({"query": "a", "documents": ["a"], "instruction": 7})",
       Json{{"query", "a"}, {"documents", std::vector<std::string>(2049, "a")}}.dump(),
       Json{{"query", std::string(400000, 'a')}, {"documents", {"a"}}}.dump()});
  EXPECT_EQ(server.Request("POST", kEmbeddings, R"({"input": "a"})").status, 400);
  EXPECT_EQ(server.Request("POST", kRerank, good).body, before);
}

}  // namespace
}  // namespace infer::serve
