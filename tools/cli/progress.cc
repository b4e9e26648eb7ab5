// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/progress.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_format.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Ten redraws per second look smooth and cost nothing; a log needs far fewer.
constexpr milliseconds kTerminalInterval{100};
constexpr seconds kLogInterval{5};
constexpr int kBarColumns = 24;  // keeps the line with label, counts and rate under 80 columns

std::string DurationText(double duration_s) {
  auto whole = static_cast<int64_t>(duration_s + 0.5);
  if (whole < 60) return absl::StrFormat("%d s", whole);
  if (whole < 3600) return absl::StrFormat("%d:%02d min", whole / 60, whole % 60);
  return absl::StrFormat("%d:%02d h", whole / 3600, whole % 3600 / 60);
}

}  // namespace

std::string ProgressText(std::string_view label, uint64_t done, uint64_t total,
                         std::string_view unit, double elapsed_s, int bar_columns) {
  std::string text(label);
  if (total > 0) {
    double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
    if (bar_columns > 0) {
      auto filled = static_cast<size_t>(share * bar_columns);
      StrAppend(&text, " [", std::string(filled, '#'),
                std::string(static_cast<size_t>(bar_columns) - filled, '.'), "]");
    }
    StrAppend(&text, absl::StrFormat(" %3.0f%% %d/%d %s", share * 100, done, total, unit));
  } else {
    StrAppend(&text, " ", done, " ", unit);
  }
  if (done == 0 || elapsed_s <= 0) return text;
  double rate = static_cast<double>(done) / elapsed_s;
  StrAppend(&text, absl::StrFormat(" %.*f %s/s", rate < 100 ? 1 : 0, rate, unit));
  if (total > done) {
    StrAppend(&text, ", ", DurationText(static_cast<double>(total - done) / rate), " left");
  }
  return text;
}

Progress::Progress(Console* console, std::string label, uint64_t total, std::string unit)
    : console_(console),
      label_(std::move(label)),
      total_(total),
      unit_(std::move(unit)),
      start_(Clock::now()),
      shown_(start_) {}

Progress::~Progress() { console_->ShowProgressLine(""); }

void Progress::Update(uint64_t done) {
  std::lock_guard<std::mutex> lock(mutex_);
  done_ = done;
  Show(Clock::now());
}

void Progress::Advance(uint64_t count) {
  std::lock_guard<std::mutex> lock(mutex_);
  done_ += count;
  Show(Clock::now());
}

void Progress::SetNote(std::string note) {
  std::lock_guard<std::mutex> lock(mutex_);
  note_ = std::move(note);
}

void Progress::Show(Clock::time_point now) {
  bool terminal = console_->is_terminal();
  if (now - shown_ < (terminal ? Clock::duration(kTerminalInterval) : kLogInterval)) return;
  shown_ = now;
  std::chrono::duration<double> elapsed = now - start_;
  std::string text =
      ProgressText(label_, done_, total_, unit_, elapsed.count(), terminal ? kBarColumns : 0);
  if (!note_.empty()) StrAppend(&text, "  ", note_);
  if (terminal) {
    console_->ShowProgressLine(std::move(text));
  } else {
    console_->Info(text);
  }
}

std::function<void(uint64_t done, uint64_t total)> ProgressReport(Console* console,
                                                                  std::string label,
                                                                  std::string unit) {
  auto progress = std::make_shared<std::unique_ptr<Progress>>();
  return [progress, console, label = std::move(label), unit = std::move(unit)](uint64_t done,
                                                                               uint64_t total) {
    if (*progress == nullptr) {
      *progress = std::make_unique<Progress>(console, label, total, unit);
    }
    (*progress)->Update(done);
    if (done >= total) progress->reset();
  };
}

}  // namespace infer
