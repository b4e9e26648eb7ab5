// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "infer/infer.h"

namespace infer {
namespace {

Model Bundled() {
  return Model::Load(INFER_SOURCE_DIR "/tools/assets/tiny-tales-q8_0.gguf").value();
}

EmbedderOptions Pooled(const std::string& pooling) {
  EmbedderOptions options;
  options.pooling = pooling;
  return options;
}

TEST(ApiEmbedder, GivesVectorsOfLengthOne) {
  Result<Embedder> embedder = Embedder::Create(Bundled(), Pooled("last"));
  ASSERT_TRUE(embedder.ok()) << embedder.error().message;
  EXPECT_EQ(embedder.value().dimensions(), 256);
  auto vectors = embedder.value().Embed({"The owl slept.", "2 + 3 = 5"});
  ASSERT_TRUE(vectors.ok()) << vectors.error().message;
  ASSERT_EQ(vectors.value().size(), 2u);
  double squares = 0;
  for (float x : vectors.value()[0]) squares += x * x;
  EXPECT_NEAR(squares, 1, 1e-5);
  EmbedOptions cut;
  cut.dimensions = 3;
  EXPECT_EQ(embedder.value().Embed({"a"}, cut).value()[0].size(), 3u);
}

TEST(ApiEmbedder, SharesItsModelWithSessions) {
  const Model model = Bundled();
  auto embedder = Embedder::Create(model, Pooled("mean"));
  ASSERT_TRUE(embedder.ok()) << embedder.error().message;
  auto session = Session::Create(model, Compile(model).value());
  ASSERT_TRUE(session.ok()) << session.error().message;
  EXPECT_TRUE(session.value().Generate("Once").ok());
  EXPECT_TRUE(embedder.value().Embed({"Once"}).ok());
}

TEST(ApiEmbedder, RefusesWhatItCannotDo) {
  EXPECT_EQ(Embedder::Create(Bundled()).error().code, 3);
  EXPECT_EQ(Embedder::Create(Bundled(), Pooled("first")).error().code, 2);
  EXPECT_EQ(Embedder::Create(Bundled(), Pooled("rank")).error().code, 3) << "no token yes";
  EmbedderOptions options = Pooled("last");
  options.texts = 0;
  EXPECT_EQ(Embedder::Create(Bundled(), options).error().code, 2);
  auto embedder = Embedder::Create(Bundled(), Pooled("last"));
  ASSERT_TRUE(embedder.ok());
  EXPECT_EQ(embedder.value().Rerank("q", {"d"}).error().code, 2);
  EmbedOptions cut;
  cut.dimensions = 257;
  EXPECT_EQ(embedder.value().Embed({"a"}, cut).error().code, 2);
  EmbedOptions cancelled;
  cancelled.cancel.Cancel();
  EXPECT_FALSE(embedder.value().Embed({"a"}, cancelled).ok());
}

}  // namespace
}  // namespace infer
