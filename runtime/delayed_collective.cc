// SPDX-License-Identifier: Apache-2.0
#include "runtime/delayed_collective.h"

#include <chrono>
#include <thread>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

using Clock = std::chrono::steady_clock;

class Delayed final : public Collective {
 public:
  Delayed(std::shared_ptr<Collective> transport, const NetworkDelay& network)
      : transport_(std::move(transport)), network_(network) {}

  int rank() const override { return transport_->rank(); }
  int ranks() const override { return transport_->ranks(); }
  absl::Status AllGather(std::span<const std::byte> send, std::byte* receive) override {
    Delay(send.size() * Others());
    return transport_->AllGather(send, receive);
  }
  absl::Status AllToAll(const std::byte* send, std::byte* receive, size_t part_bytes) override {
    Delay(part_bytes * Others());
    return transport_->AllToAll(send, receive, part_bytes);
  }
  absl::Status Broadcast(std::span<std::byte> data) override {
    if (rank() == 0) Delay(data.size());
    return transport_->Broadcast(data);
  }
  void Abort(const absl::Status& why) override { transport_->Abort(why); }
  void SetPlace(std::string place) override { transport_->SetPlace(std::move(place)); }

 private:
  size_t Others() const { return static_cast<size_t>(ranks() - 1); }

  // Every rank is late by this time, so that the exchange ends this long after the last of them has
  // come. Waiting after the exchange would take longer: a transport may need its sender to be there
  // until the others have received.
  void Delay(size_t bytes) const {
    double ns = network_.delay_us * 1e3;
    if (network_.gbit_s > 0) ns += static_cast<double>(bytes) * 8 / network_.gbit_s;
    const auto end = Clock::now() + std::chrono::nanoseconds(static_cast<int64_t>(ns));
    while (Clock::now() < end) {
    }
  }

  std::shared_ptr<Collective> transport_;
  NetworkDelay network_;
};

}  // namespace

absl::StatusOr<NetworkDelay> ParseNetworkDelay(std::string_view text) {
  struct Unit {
    std::string_view name;
    double NetworkDelay::* field;
    double factor;
  };
  constexpr Unit kUnits[] = {{"gbit", &NetworkDelay::gbit_s, 1},
                             {"us", &NetworkDelay::delay_us, 1},
                             {"ms", &NetworkDelay::delay_us, 1000}};
  NetworkDelay network;
  for (absl::string_view part : absl::StrSplit(ToAbsl(text), ',')) {
    bool known = false;
    for (const Unit& unit : kUnits) {
      const std::string_view word = ToStd(part);
      double value = 0;
      if (!word.ends_with(unit.name)) continue;
      known = absl::SimpleAtod(part.substr(0, part.size() - unit.name.size()), &value) &&
              value >= 0 && value <= 1e6;
      network.*unit.field = value * unit.factor;
      break;
    }
    if (!known) {
      return absl::InvalidArgumentError(
          StrCat("network ", text, ": expected a delay or a bandwidth, such as 100us,1gbit"));
    }
  }
  return network;
}

std::shared_ptr<Collective> MakeDelayed(std::shared_ptr<Collective> transport,
                                        const NetworkDelay& network) {
  return std::make_shared<Delayed>(std::move(transport), network);
}

}  // namespace infer
