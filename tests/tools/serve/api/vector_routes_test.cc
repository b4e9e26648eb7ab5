// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/api/vector_routes.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstring>

#include "absl/strings/escaping.h"
#include "ir/base/status_macros.h"
#include "tests/tools/serve/api/api_fixture.h"

namespace infer::serve {
namespace {

using ::testing::HasSubstr;

// Vectors of four numbers that say how many tokens a text has, and what its first one is.
class FakeVectors final : public VectorRunner {
 public:
  explicit FakeVectors(Pooling pooling) : pooling_(pooling) {}
  Pooling pooling() const override { return pooling_; }
  int64_t dimensions() const override { return 4; }
  int64_t context() const override { return 8; }
  absl::Status Run(std::span<const std::vector<int32_t>> texts,
                   absl::FunctionRef<absl::Status(size_t, std::span<const float>)> done) override {
    for (size_t i = 0; i < texts.size(); ++i) {
      const float vector[] = {static_cast<float>(texts[i].size()), static_cast<float>(texts[i][0]),
                              0, 0};
      RETURN_IF_ERROR(done(i, vector));
    }
    return absl::OkStatus();
  }
  absl::StatusOr<std::vector<int32_t>> RerankTokens(std::string_view query,
                                                    std::string_view document,
                                                    std::string_view) const override {
    return std::vector<int32_t>(query.size() + document.size(), 1);
  }
  double Score(std::span<const float> vector) const override { return vector[0] / 10; }

 private:
  const Pooling pooling_;
};

ApiServerOptions With(VectorRunner* vectors) {
  ApiServerOptions options;
  options.vectors = vectors;
  return options;
}

class EmbeddingsTest : public ApiFixture {
 protected:
  EmbeddingsTest() : ApiFixture(With(&vectors_)) {}
  Json Embed(const Json& body) { return Json::parse(Post("/v1/embeddings", body)->response.body); }
  std::string ErrorOf(const Json& body) {
    const auto to = Post("/v1/embeddings", body);
    EXPECT_EQ(to->response.status, 400) << to->response.body;
    return Json::parse(to->response.body)["error"]["message"];
  }

  static inline FakeVectors vectors_{Pooling::kLast};
};

TEST_F(EmbeddingsTest, OneTextGivesOneVectorOfLengthOne) {
  const Json answer = Embed({{"model", "tiny-tales"}, {"input", {3, 4}}});
  EXPECT_EQ(answer["object"], "list");
  EXPECT_EQ(answer["model"], "tiny-tales");
  EXPECT_EQ(answer["usage"]["prompt_tokens"], 2);
  ASSERT_EQ(answer["data"].size(), 1u);
  EXPECT_EQ(answer["data"][0]["object"], "embedding");
  // (2, 3) scaled.
  EXPECT_NEAR(answer["data"][0]["embedding"][0].get<double>(), 2 / std::sqrt(13.0), 1e-6);
  EXPECT_EQ(answer["data"][0]["embedding"].size(), 4u);
}

TEST_F(EmbeddingsTest, TextsAndIdsMayBeListed) {
  const Json answer = Embed({{"input", {"a", "a a a"}}});
  ASSERT_EQ(answer["data"].size(), 2u);
  EXPECT_EQ(answer["data"][1]["index"], 1);
  EXPECT_EQ(Embed({{"input", {{1, 2}, {3}}}})["usage"]["total_tokens"], 3);
}

TEST_F(EmbeddingsTest, AreCutBeforeTheyAreScaled) {
  const Json vector = Embed({{"input", {3, 4}}, {"dimensions", 1}})["data"][0]["embedding"];
  EXPECT_EQ(vector, Json::parse("[1.0]"));
}

TEST_F(EmbeddingsTest, AreSentAsBytesIfAsked) {
  const Json answer = Embed({{"input", {3, 4}}, {"encoding_format", "base64"}});
  std::string bytes;
  ASSERT_TRUE(absl::Base64Unescape(answer["data"][0]["embedding"].get<std::string>(), &bytes));
  float vector[4];
  ASSERT_EQ(bytes.size(), sizeof vector);
  std::memcpy(vector, bytes.data(), sizeof vector);
  EXPECT_NEAR(vector[1], 3 / std::sqrt(13.0), 1e-6);
}

TEST_F(EmbeddingsTest, RefusesWrongValuesByName) {
  EXPECT_THAT(ErrorOf(Json::object()), HasSubstr("input"));
  EXPECT_THAT(ErrorOf({{"input", ""}}), HasSubstr("not empty"));
  EXPECT_THAT(ErrorOf({{"input", Json::array()}}), HasSubstr("1 to 2048 texts"));
  EXPECT_THAT(ErrorOf({{"input", {"a", 1.5}}}), HasSubstr("input[1]"));
  EXPECT_THAT(ErrorOf({{"input", {-1}}}), HasSubstr("input[0]"));
  EXPECT_THAT(ErrorOf({{"input", {4096}}}), HasSubstr("below 4096"));
  EXPECT_THAT(ErrorOf({{"input", {1, 2, 3, 4, 5, 6, 7, 8, 9}}}), HasSubstr("9"));
  EXPECT_THAT(ErrorOf({{"input", "a"}, {"dimensions", 5}}), HasSubstr("1 to 4"));
  EXPECT_THAT(ErrorOf({{"input", "a"}, {"encoding_format", "hex"}}), HasSubstr("base64"));
  EXPECT_EQ(Post("/v1/embeddings", {{"input", "a"}, {"model", "other"}})->response.status, 404);
  EXPECT_EQ(Send("POST", "/v1/embeddings", "{")->response.status, 400);
}

TEST_F(EmbeddingsTest, NothingElseIsServed) {
  const auto chat = Post("/v1/completions", {{"prompt", "a"}});
  EXPECT_EQ(chat->response.status, 400);
  EXPECT_THAT(chat->response.body, HasSubstr("does not generate text"));
  EXPECT_THAT(Post("/v1/rerank", {{"query", "a"}, {"documents", {"b"}}})->response.body,
              HasSubstr("no reranker"));
}

class RerankTest : public ApiFixture {
 protected:
  RerankTest() : ApiFixture(With(&vectors_)) {}
  Json Ranked(const Json& body) { return Json::parse(Post("/v1/rerank", body)->response.body); }

  static inline FakeVectors vectors_{Pooling::kRank};
};

TEST_F(RerankTest, PutsTheBestFirst) {
  const Json answer =
      Ranked({{"query", "q"}, {"documents", {"a", "abc", {{"text", "ab"}}}}, {"top_n", 2}});
  ASSERT_EQ(answer["results"].size(), 2u);
  EXPECT_EQ(answer["results"][0]["index"], 1);
  EXPECT_NEAR(answer["results"][0]["relevance_score"].get<double>(), 0.4, 1e-6);
  EXPECT_EQ(answer["results"][1]["index"], 2);
  EXPECT_EQ(answer["usage"]["total_tokens"], 2 + 4 + 3);
  EXPECT_FALSE(answer["results"][0].contains("document"));
}

TEST_F(RerankTest, ReturnsDocumentsIfAsked) {
  const Json answer = Ranked({{"query", "q"}, {"documents", {"ab"}}, {"return_documents", true}});
  EXPECT_EQ(answer["results"][0]["document"]["text"], "ab");
}

TEST_F(RerankTest, RefusesWrongValuesByName) {
  auto error = [&](const Json& body) {
    const auto to = Post("/v1/rerank", body);
    EXPECT_EQ(to->response.status, 400);
    return to->response.body;
  };
  EXPECT_THAT(error({{"documents", {"a"}}}), HasSubstr("query"));
  EXPECT_THAT(error({{"query", "a"}}), HasSubstr("documents"));
  EXPECT_THAT(error({{"query", "a"}, {"documents", {"a", 1}}}), HasSubstr("documents[1]"));
  EXPECT_THAT(error({{"query", "a"}, {"documents", {"a"}}, {"top_n", 0}}), HasSubstr("top_n"));
  EXPECT_THAT(error({{"query", "a"}, {"documents", {"123456789"}}}), HasSubstr("documents[0]"));
  EXPECT_THAT(Post("/v1/embeddings", {{"input", "a"}})->response.body, HasSubstr("a reranker"));
}

TEST_F(ApiFixture, WithoutVectorsTheRoutesSaySo) {
  const auto to = Post("/v1/embeddings", {{"input", "a"}});
  EXPECT_EQ(to->response.status, 400);
  EXPECT_THAT(to->response.body, HasSubstr("generates text"));
}

}  // namespace
}  // namespace infer::serve
