// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/metrics/exposition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/tools/serve/metrics/strict_exposition.h"

namespace infer::metrics {
namespace {

TEST(Exposition, WritesEachKind) {
  constexpr double kBounds[] = {0.25, 1};
  Histogram histogram(kBounds);
  for (const double value : {0.25, 0.5, 3.0}) histogram.Record(value);
  Exposition out(Labels{{"model_name", "m"}});
  out.Counter("a_total", "Counts a.", 12345678901);
  out.Gauge("b", "A share.", 0.1);
  out.Distribution("c", "Seconds.", histogram);
  EXPECT_EQ(out.Take(),
            "# HELP a_total Counts a.\n"
            "# TYPE a_total counter\n"
            "a_total{model_name=\"m\"} 12345678901\n"
            "# HELP b A share.\n"
            "# TYPE b gauge\n"
            "b{model_name=\"m\"} 0.1\n"
            "# HELP c Seconds.\n"
            "# TYPE c histogram\n"
            "c_bucket{model_name=\"m\",le=\"0.25\"} 1\n"
            "c_bucket{model_name=\"m\",le=\"1\"} 2\n"
            "c_bucket{model_name=\"m\",le=\"+Inf\"} 3\n"
            "c_sum{model_name=\"m\"} 3.75\n"
            "c_count{model_name=\"m\"} 3\n");
}

TEST(Exposition, EscapesLabelsAndHelp) {
  Exposition out(Labels{{"model_name", "a\"b\\c\nd"}});
  out.Gauge("x", "one\ntwo\\", 1);
  const std::string text = out.Take();
  EXPECT_EQ(text, "# HELP x one\\ntwo\\\\\n# TYPE x gauge\nx{model_name=\"a\\\"b\\\\c\\nd\"} 1\n");
  EXPECT_TRUE(ReadStrictly(text).ok());
}

TEST(Exposition, ReplacesBytesThatAreNotUtf8) {
  EXPECT_EQ(EscapedLabel("a\xff"
                         "b"),
            "a\xEF\xBF\xBD"
            "b");
}

TEST(Exposition, NumbersReadBackAsTheyWere) {
  for (const double value : {0.1, 1.0 / 3, 1e-9, 123456.789, 1e300, 4503599627370497.5}) {
    Exposition out({});
    out.Gauge("x", "X.", value);
    const auto samples = ReadStrictly(out.Take());
    ASSERT_TRUE(samples.ok()) << samples.status();
    EXPECT_EQ(samples->at("x"), value);
  }
}

TEST(Exposition, WritesNumbersThatAreNone) {
  Exposition out({});
  out.Gauge("x", "X.", std::nan(""));
  out.Gauge("y", "Y.", -std::numeric_limits<double>::infinity());
  EXPECT_THAT(out.Take(),
              ::testing::AllOf(::testing::HasSubstr("x NaN\n"), ::testing::HasSubstr("y -Inf\n")));
}

TEST(StrictExposition, RefusesWhatIsWrong) {
  const std::string head = "# HELP x X.\n# TYPE x gauge\n";
  const std::string histogram = "# HELP h H.\n# TYPE h histogram\n";
  for (const std::string& text : {
           std::string("x 1\n"),
           head + "x 1",
           head + "x 1\nx 2\n",
           head + "y 1\n",
           head + "x{a=\"b\"c=\"d\"} 1\n",
           head + "x{a=\"b\",a=\"c\"} 1\n",
           head + "x{a=\"\"\"} 1\n",
           head + "x{a=\"\\t\"} 1\n",
           head + "x one\n",
           head + head,
           std::string("# HELP x X.\n# TYPE x counter\nx 1\n"),
           histogram + "h_bucket{le=\"1\"} 1\nh_sum 1\nh_count 1\n",
           histogram + "h_bucket{le=\"1\"} 2\nh_bucket{le=\"+Inf\"} 1\nh_sum 1\nh_count 1\n",
           histogram + "h_bucket{le=\"1\"} 1\nh_bucket{le=\"+Inf\"} 1\nh_sum 1\nh_count 2\n",
       }) {
    EXPECT_FALSE(ReadStrictly(text).ok()) << text;
  }
}

}  // namespace
}  // namespace infer::metrics
