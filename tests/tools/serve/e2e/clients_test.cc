// SPDX-License-Identifier: Apache-2.0
//
// The clients that people use, against the whole server. They run on Node with packages from the
// folder in INFER_NODE_MODULES; tests/tools/serve/clients/README.md lists them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "tests/tools/e2e/tool_run.h"
#include "tests/tools/serve/e2e/server_process.h"

namespace infer::serve {
namespace {

struct Client {
  std::string name;
  std::string script;
  std::string package;                  // that it needs, also its argument
  std::vector<std::string> flags = {};  // of the server
};

class ClientsTest : public ::testing::TestWithParam<Client> {};

// A script takes seconds; more is a client that waits for something that never comes.
constexpr char kLimitedNode[] = "node time_limit.mjs 180 ";

TEST_P(ClientsTest, WorksAsDocumented) {
  const char* modules = std::getenv("INFER_NODE_MODULES");
  if (modules == nullptr ||
      !std::filesystem::exists(std::string(modules) + "/" + GetParam().package)) {
    GTEST_SKIP() << "INFER_NODE_MODULES has no " << GetParam().package;
  }
  ServerProcess server(GetParam().flags);
  TempDir dir;
  const CapturedRun run = RunShell(
      "cd '" + dir.path() + "' && cp " INFER_SOURCE_DIR "/tests/tools/serve/clients/*.mjs . && " +
      "ln -s '" + modules + "' node_modules && INFER_SERVE_SCHEMAS=" INFER_TEST_DATA "/serve " +
      kLimitedNode + GetParam().script + " " + server.url() + " " + GetParam().package);
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  std::cout << run.out;
}

TEST(ClientTypesTest, SchemasHaveTheTypesOfTheClients) {
  const char* modules = std::getenv("INFER_NODE_MODULES");
  if (modules == nullptr || std::getenv("INFER_TEST_CLIENT_TYPES") == nullptr) {
    GTEST_SKIP() << "INFER_TEST_CLIENT_TYPES is not set";
  }
  TempDir dir;
  const CapturedRun run = RunShell(
      "cd '" + dir.path() + "' && cp " INFER_SOURCE_DIR "/tests/tools/serve/clients/*.mjs . && " +
      "echo '{\"type\": \"module\"}' >package.json && ln -s '" + modules +
      "' node_modules && INFER_SERVE_SCHEMAS=" INFER_TEST_DATA "/serve " + kLimitedNode +
      "check_types.mjs");
  EXPECT_EQ(run.code, 0) << run.out << run.err;
}

INSTANTIATE_TEST_SUITE_P(
    All, ClientsTest,
    ::testing::Values(
        Client{"openai", "openai_client.mjs", "openai"},
        Client{"openai_before", "openai_client.mjs", "openai5"},
        Client{"openai_embeddings", "openai_embeddings.mjs", "openai", {"--pooling", "last"}},
        Client{
            "openai_before_embeddings", "openai_embeddings.mjs", "openai5", {"--pooling", "last"}},
        Client{"rerank", "rerank.mjs", "ajv", {"-m", INFER_TEST_DATA "/random_reranker.gguf"}},
        Client{"ai_sdk", "ai_sdk_client.mjs", "@ai-sdk/openai-compatible"},
        Client{"langchain", "langchain_client.mjs", "@langchain/openai"},
        Client{"anthropic", "anthropic_client.mjs", "@anthropic-ai/sdk"}),
    [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace infer::serve
