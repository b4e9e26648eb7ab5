// SPDX-License-Identifier: Apache-2.0
#include "tools/devices/device_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "backends/backends.h"
#include "backends/simd/levels/choose_level.h"

namespace infer {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

DeviceReport SampleReport() {
  DeviceReport report;
  report.architecture = "arch";
  report.cpu_features = {"one", "two"};
  report.level = "better";
  report.level_reason = "because";
  report.levels = {{"good", "one", true, false, ""},
                   {"better", "two", true, true, ""},
                   {"best", "three", false, false, "the system refuses it"}};
  report.targets = {{"simd", "cpu", "", 7},
                    {"metal", "metal", "no such device", 0, "device=Two max_buffer=2", true}};
  report.layouts = {{"q8", "q8_v1"}, {"q4", ""}};
  report.default_policy = "simd";
  report.threads = {.affinity = 8, .fast_cores = std::nullopt, .quota = 2.5};
  report.memory = {.total_bytes = uint64_t{4} << 30,
                   .available_bytes = std::nullopt,
                   .limit_bytes = 1 << 30,
                   .huge_page_bytes = 2 << 20,
                   .huge_pages = "madvise"};
  return report;
}

TEST(DeviceReport, TextGivesEachReason) {
  const std::string text = ToText(SampleReport());
  for (const char* part :
       {"arch: one two\n", "threads  2 = min(affinity 8, cgroup quota 2.5)\n",
        "memory   4.0 GiB, limited to 1.0 GiB by the control group\n", "level    better: because\n",
        "pages    huge pages of 2 MiB for packed weights and the values of calls\n",
        "good       would run ", "better     in use ", "best       does not run   needs three\n",
        "  the system refuses it\n", "simd       on cpu    available, 7 kernels\n",
        "unavailable: no such device\n", "  device=Two max_buffer=2\n", "packed as q8_v1\n",
        "q4             not packed here"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

TEST(DeviceReport, SaysWhoGetsHugePages) {
  DeviceReport report = SampleReport();
  report.memory.huge_pages = "always";
  EXPECT_THAT(ToText(report), HasSubstr("huge pages of 2 MiB for all memory\n"));
  report.memory.huge_pages = "never";
  EXPECT_THAT(ToText(report), HasSubstr("enabled is 'never'; packing is faster with 'madvise'\n"));
  report.memory.huge_pages = "";
  EXPECT_THAT(ToText(report), ::testing::Not(HasSubstr("huge pages")));
}

TEST(DeviceReport, JsonHoldsTheSame) {
  const nlohmann::json json = nlohmann::json::parse(ToJson(SampleReport()));
  EXPECT_EQ(json["schema_version"], 1);
  EXPECT_EQ(json["level"]["name"], "better");
  EXPECT_EQ(json["levels"][2]["runs_here"], false);
  EXPECT_EQ(json["levels"][1]["in_use"], true);
  EXPECT_EQ(json["levels"][2]["why_not"], "the system refuses it");
  EXPECT_EQ(json["targets"][0]["available"], true);
  EXPECT_EQ(json["targets"][1]["why_not"], "no such device");
  EXPECT_EQ(json["targets"][1]["description"], "device=Two max_buffer=2");
  EXPECT_EQ(json["targets"][0]["emulated"], false);
  EXPECT_EQ(json["targets"][1]["device"], "metal");
  EXPECT_EQ(json["targets"][1]["emulated"], true);
  EXPECT_EQ(json["weight_layouts"][1]["packed"], false);
  EXPECT_EQ(json["threads"]["count"], 2);
  EXPECT_TRUE(json["threads"]["fast_cores"].is_null());
  EXPECT_EQ(json["memory"]["limit_bytes"], 1 << 30);
  EXPECT_TRUE(json["memory"]["available_bytes"].is_null());
  EXPECT_EQ(json["memory"]["huge_pages"], "madvise");
  EXPECT_EQ(json["memory"]["huge_page_bytes"], 2 << 20);
}

TEST(DeviceReport, OfThisMachineAgreesWithWhatRuns) {
  const DeviceReport report = DescribeDevices(*MakeKernelRegistry());
  const simd::Level* level = simd::ChosenLevel().level;
  EXPECT_EQ(report.targets[0].name, "scalar");
  EXPECT_EQ(report.targets[0].why_not, "");
  EXPECT_EQ(report.targets[1].name, "simd");
  EXPECT_EQ(report.targets[1].why_not.empty(), level != nullptr);
  EXPECT_EQ(report.default_policy, level == nullptr ? "scalar" : "auto");
  EXPECT_EQ(report.targets[3].name, "metal");
  // A level that runs needs nothing that the list of features lacks.
  for (const DeviceReport::LevelRow& row : report.levels) {
    if (row.name == "emulated") continue;  // needs nothing
    std::istringstream needs(row.needs);
    for (std::string flag; row.runs_here && needs >> flag;) {
      EXPECT_THAT(report.cpu_features, Contains(flag)) << row.name;
    }
  }
}

}  // namespace
}  // namespace infer
