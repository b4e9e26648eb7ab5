// SPDX-License-Identifier: Apache-2.0
#include "tests/model/loaded_model.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <utility>

#include "backends/backends.h"

namespace infer::test {
namespace {

template <class T>
T OrExit(absl::StatusOr<T> value) {
  if (value.ok()) return *std::move(value);
  std::cerr << value.status() << std::endl;
  std::exit(1);
}

std::string PathOf(const std::string& file) {
  if (file.empty() || file[0] == '/') return file;
  return std::string(INFER_TEST_DATA "/") + file;
}

// The largest logit but the one at `best`.
float Second(std::span<const float> logits, std::span<const float>::iterator best) {
  float second = -std::numeric_limits<float>::infinity();
  for (auto it = logits.begin(); it != logits.end(); ++it) {
    if (it != best) second = std::max(second, *it);
  }
  return second;
}

}  // namespace

LoadedModel::LoadedModel(const std::string& file) : LoadedModel(file, MakeKernelRegistry()) {}

LoadedModel::LoadedModel(const std::string& file, std::unique_ptr<KernelRegistry> registry)
    : file_(OrExit(ModelFile::Open(PathOf(file)))), registry_(std::move(registry)) {}

Program LoadedModel::Compile(const CompileModelOptions& options) const {
  return OrExit(CompileModel(file_, *registry_, options));
}

std::unique_ptr<Session> LoadedModel::NewSession(const CompileModelOptions& options,
                                                 SessionOptions session) const {
  Program program = Compile(options);
  session.context = program.symbols[Symbol::kS].max;
  return OrExit(Session::CreateAlone(std::move(program), file_.weights(), *registry_, session));
}

std::vector<int32_t> ContinueGreedily(Session& session, std::span<const int32_t> prompt, int tokens,
                                      std::vector<float>* margins) {
  std::vector<int32_t> ids;
  if (!session.Prefill(prompt).ok()) return ids;
  while (std::ssize(ids) < tokens) {
    std::span<const float> logits = session.logits();
    auto best = std::ranges::max_element(logits);
    ids.push_back(static_cast<int32_t>(best - logits.begin()));
    if (margins != nullptr) margins->push_back(*best - Second(logits, best));
    if (std::ssize(ids) < tokens && !session.Decode(ids.back()).ok()) return {};
  }
  return ids;
}

std::vector<float> LogitsOf(const Session& session) {
  std::span<const float> logits = session.logits();
  return {logits.begin(), logits.end()};
}

double LogLikelihood(const Session& session, std::span<const int32_t> ids) {
  double sum = 0;
  for (size_t row = 0; row + 1 < ids.size(); ++row) {
    std::span<const float> logits = session.logits(row);
    double largest = *std::ranges::max_element(logits);
    double total = 0;
    for (float logit : logits) total += std::exp(logit - largest);
    sum += logits[ids[row + 1]] - largest - std::log(total);
  }
  return sum;
}

}  // namespace infer::test
