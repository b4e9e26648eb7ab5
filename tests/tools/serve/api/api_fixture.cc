// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/serve/api/api_fixture.h"

#include <future>
#include <utility>

namespace infer::serve {

const ServedModel& BundledModel() {
  static const ModelFile* const file = new ModelFile(*ModelFile::Open(""));
  static const std::unique_ptr<ServedModel> model =
      *ServedModel::Create(*file, {.context = 512, .max_choices = 4});
  return *model;
}

std::vector<SseEvent> ParseEvents(std::string_view text) {
  std::vector<SseEvent> events;
  SseEvent event;
  bool has_data = false;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    EXPECT_NE(end, std::string_view::npos) << "a line without an end: " << text;
    if (end == std::string_view::npos) break;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (line.starts_with("event: ")) {
      event.name = line.substr(7);
    } else if (line.starts_with("data: ")) {
      EXPECT_FALSE(has_data);
      has_data = true;
      event.data = line == "data: [DONE]" ? Json("[DONE]") : Json::parse(line.substr(6));
    } else if (line.empty()) {
      EXPECT_TRUE(has_data) << "an event without data";
      events.push_back(std::exchange(event, {}));
      has_data = false;
    } else {
      EXPECT_TRUE(line.starts_with(":")) << line;
    }
  }
  EXPECT_FALSE(has_data) << "the last event has no end";
  return events;
}

ApiFixture::ApiFixture(ApiServerOptions options) {
  options.model = &BundledModel();
  options.runner = &runner_;
  options.version = "1.2.3";
  server_ = std::make_unique<ApiServer>(std::move(options));
}

std::shared_ptr<FakeResponder> ApiFixture::Send(std::string method, std::string path,
                                                std::string body, std::string query) {
  auto responder = std::make_shared<FakeResponder>();
  http::Request request;
  request.method = std::move(method);
  request.path = std::move(path);
  request.query = std::move(query);
  request.body = std::move(body);
  request.id = "request-1";
  request.peer = "127.0.0.1";
  request.key_name = key_name_;
  server_->Handle(std::move(request), responder);
  WaitForWorker();
  return responder;
}

void ApiFixture::WaitForWorker() {
  // A worker runs jobs in order, so this one's answer comes after those before it.
  class Last final : public http::Responder {
   public:
    explicit Last(std::promise<void>* done) : done_(done) {}
    void Send(http::Response) override { done_->set_value(); }
    void StartStream(const std::string&, const http::Headers&) override {}
    void Write(std::string) override {}
    void End() override {}
    void OnClosed(std::function<void()>) override {}
    void OnBacklog(std::function<void(bool)>) override {}
    size_t unsent_bytes() const override { return 0; }

   private:
    std::promise<void>* done_;
  };
  for (const char* path_of_worker : {"/tokenize", "/v1/embeddings"}) {
    std::promise<void> done;
    http::Request request;
    request.method = "POST";
    request.path = path_of_worker;
    request.body = R"({"content": ""})";
    server_->Handle(std::move(request), std::make_shared<Last>(&done));
    done.get_future().wait();
  }
}

void ApiFixture::Admit(int64_t cached_tokens) {
  ASSERT_FALSE(runner_.submitted.empty());
  cached_ = cached_tokens;
  const FakeRunner::Submitted& last = runner_.submitted.back();
  RequestSummary summary;
  summary.prompt_tokens = std::ssize(last.request.prompt);
  summary.cached_tokens = cached_tokens;
  last.listener->OnAdmitted(summary);
}

void ApiFixture::Say(std::string_view text, int32_t choice) {
  const std::vector<int32_t> ids = *BundledModel().tokenizer().Encode(text);
  for (const int32_t id : ids) {
    ++generated_;
    const TokenLogprob top[] = {{id, -0.5f}, {0, -2.0f}};
    const auto alternatives =
        static_cast<size_t>(std::max(0, runner_.submitted.back().request.top_logprobs));
    TokenOutput token;
    token.choice = choice;
    token.id = id;
    token.logprob = -0.5f;
    token.top = std::span(top).first(std::min<size_t>(alternatives, 2));
    const bool goes_on = runner_.submitted.back().listener->OnToken(token);
    if (!goes_on) EndChoice(ChoiceEnd::kListener, choice);
    runner_.submitted.back().listener->OnStepEnd();
    if (!goes_on) return;
  }
}

void ApiFixture::EndChoice(ChoiceEnd end, int32_t choice) {
  runner_.submitted.back().listener->OnChoiceEnd(choice, end);
}

void ApiFixture::End(absl::Status status) {
  const FakeRunner::Submitted& last = runner_.submitted.back();
  RequestSummary summary;
  summary.prompt_tokens = std::ssize(last.request.prompt);
  summary.cached_tokens = cached_;
  summary.cache_end = "the cache has no longer prefix";
  summary.generated_tokens = generated_;
  last.listener->OnEnd(summary, status);
}

void ApiFixture::Answer(std::string_view text, ChoiceEnd end) {
  Admit();
  Say(text);
  EndChoice(end);
  runner_.submitted.back().listener->OnStepEnd();
  End();
}

}  // namespace infer::serve
