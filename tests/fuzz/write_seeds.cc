// SPDX-License-Identifier: Apache-2.0
//
// write_seeds FOLDER: valid inputs for the fuzzers to start from, in a folder for each fuzzer that
// cannot use files of the repository as they are.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "ir/proto/serialize.h"
#include "ir/text/printer.h"
#include "runtime/profile.pb.h"
#include "tests/frontends/qwen3/toy_model.h"
#include "tests/support/sample_program.h"

namespace {

constexpr size_t kChecksumBytes = 9;  // the fuzzers of stored files append it themselves

class Seeds {
 public:
  explicit Seeds(std::string folder) : folder_(std::move(folder)) {}

  void Add(std::string_view fuzzer, std::string_view name, std::string_view bytes) const {
    const std::filesystem::path path = std::filesystem::path(folder_) / fuzzer;
    std::filesystem::create_directories(path);
    std::ofstream(path / name, std::ios::binary) << bytes;
  }
  void AddSealed(std::string_view fuzzer, std::string_view name, std::string bytes) const {
    bytes.resize(bytes.size() - kChecksumBytes);
    Add(fuzzer, name, bytes);
  }

 private:
  std::string folder_;
};

void AddModels(const Seeds& seeds) {
  infer::test::ToyShape experts;
  experts.experts = 4;
  experts.experts_used = 2;
  experts.expert_feed_forward = 6;
  using infer::test::OpenedImage;
  seeds.Add("gguf", "toy", OpenedImage(infer::test::ToyModel()).bytes);
  seeds.Add("gguf", "experts", OpenedImage(infer::test::ToyModel(experts)).bytes);
  seeds.Add("gguf", "llama", OpenedImage(infer::test::ToyNeighbour("llama")).bytes);
  seeds.Add("gguf", "tokenizer", OpenedImage(infer::test::ToyModelWithTokenizer()).bytes);
}

void AddPrograms(const Seeds& seeds) {
  infer::Program program = infer::test::SampleProgram();
  infer::test::AddKernelChoices(&program);
  seeds.AddSealed("program", "program", infer::SerializeProgram(program).value());
  for (bool shares : {false, true}) {
    seeds.AddSealed(
        "program", shares ? "shared" : "copied",
        infer::SerializeProgram(infer::test::SampleProgramOnTwoDevices(shares)).value());
  }
  for (int i = 0; i < infer::kNumStages; ++i) {
    const infer::Stage stage = static_cast<infer::Stage>(i);
    const infer::Graph graph = infer::test::SampleGraph(stage);
    seeds.AddSealed("program", infer::Name(stage), infer::SerializeGraph(graph).value());
    seeds.Add("graph_text", infer::Name(stage), infer::PrintGraph(graph));
  }
}

// By its message: the library that writes profiles needs all of the runtime.
void AddProfile(const Seeds& seeds) {
  infer::proto::Profile profile;
  profile.set_format("infer profile");
  profile.set_schema_version(1);
  profile.set_policy("auto");
  profile.set_machine("generic");
  profile.set_threads(1);
  profile.set_threads_by("team");
  infer::proto::ProfileRegime* regime = profile.add_regimes();
  regime->set_min_tokens(1);
  regime->set_max_tokens(512);
  infer::proto::ProfileNode* node = regime->add_nodes();
  node->set_id(7);
  node->set_name("layer.0/ffn/up");
  node->set_op("linear");
  node->set_target("simd");
  node->set_kernel("linear_q8_0_simd");
  node->set_mode("sliced");
  infer::proto::CallGroup* group = regime->add_groups();
  group->set_min_tokens(1);
  group->set_max_tokens(1);
  group->set_calls(8);
  group->set_tokens(8);
  group->set_logit_rows(8);
  group->set_positions(64);
  group->set_wall_ns(9000);
  group->set_wall_p50_ns(1000);
  group->set_sequences(8);
  infer::proto::NodeTiming* timing = group->add_timings();
  timing->set_n(8);
  timing->set_min_ns(900);
  timing->set_p50_ns(1000);
  timing->set_p95_ns(1200);
  timing->set_total_ns(8000);
  timing->set_busy_ns(7900);
  timing->set_busy_max_ns(8000);
  timing->set_estimate_ns(950);
  infer::proto::CallTimeline* timeline = group->mutable_timeline();
  timeline->set_tokens(1);
  timeline->set_logit_rows(1);
  timeline->set_positions(8);
  timeline->set_wall_ns(1000);
  infer::proto::ThreadTimeline* thread = timeline->add_threads();
  thread->add_start_ns(10);
  thread->add_end_ns(900);
  thread->add_wait_end_ns(950);
  thread->add_inner_wait_ns(0);
  seeds.Add("profile", "one", profile.SerializeAsString());
}

void AddRequests(const Seeds& seeds) {
  constexpr std::string_view kHost = "Host: localhost\r\nContent-Type: application/json\r\n";
  const std::string host(kHost);
  seeds.Add("http", "get", "\x07GET /a?b=%20c HTTP/1.1\r\n" + host + "\r\n");
  seeds.Add("http", "post", "\x09POST /b HTTP/1.1\r\n" + host + "Content-Length: 5\r\n\r\nfirst");
  seeds.Add("http", "chunked",
            "\x05POST /c HTTP/1.1\r\n" + host +
                "Transfer-Encoding: chunked\r\n\r\n3\r\nsec\r\n3;x=y\r\nond\r\n0\r\nT: 1\r\n\r\n");
  seeds.Add("http", "origin",
            "\x20OPTIONS /v1/models HTTP/1.1\r\nOrigin: https://example.org\r\n"
            "Access-Control-Request-Method: POST\r\n" +
                host + "Expect: 100-continue\r\n\r\n");
  seeds.Add("requests", "chat",
            R"({"model": "m", "messages": [{"role": "system", "content": "s"}, {"role": "user",
               "content": [{"type": "text", "text": "u"}]}], "temperature": 0.5, "top_p": 0.9,
               "max_tokens": 5, "n": 2, "stop": ["x"], "stream": true, "seed": 3, "tools": [{"type":
               "function", "function": {"name": "f", "parameters": {"type": "object"}}}],
               "tool_choice": "auto", "logit_bias": {"5": 1}, "top_logprobs": 2, "logprobs": true,
               "response_format": {"type": "json_schema", "json_schema": {"name": "n", "schema":
               {"type": "object"}}}})");
  seeds.Add("requests", "completion", R"({"prompt": ["a", "b"], "max_tokens": 3, "echo": true})");
  seeds.Add("requests", "responses",
            R"({"input": [{"role": "user", "content": "hi"}], "instructions": "i"})");
  seeds.Add("requests", "messages",
            R"({"max_tokens": 4, "system": "s", "messages": [{"role": "user", "content": "hi"},
               {"role": "assistant", "content": [{"type": "text", "text": "t"}]}], "thinking":
               {"type": "enabled", "budget_tokens": 1024}})");
  seeds.Add("config", "one", R"({"temp": 0.5, "stop": ["a", "b"], "chat": true, "n-predict": 3})");
  seeds.Add("pack_cache", "plain", std::string(1, '\0'));
  seeds.Add("pack_cache", "changed", std::string("\0\0\10\1", 4));
  seeds.Add("vocabulary", "one", "1ab\n3<|x|>\nma b\neA\n");
  seeds.Add("tokenizer", "one", "Once upon a time, 123 <|im_end|>\n\xC3\xA9 \xF0\x9F\x98\x80");
}

// A grammar, a byte 0xFF and a document.
void AddGrammars(const Seeds& seeds) {
  seeds.Add("grammar", "gbnf",
            "root ::= item+ (\"-\" item){0,2}\nitem ::= [a-c] | \"x\" [^a\\n]? # one\n\xFF"
            "ab-xd");
  seeds.Add("grammar", "object",
            R"({"type":"object","properties":{"a":{"type":"integer","minimum":-5},"b":{"enum":)"
            R"(["x",null]}},"required":["a"],"additionalProperties":false})"
            "\xFF{\"a\": 12}");
  seeds.Add("grammar", "array",
            R"({"type":"array","items":{"type":"string","maxLength":3},"minItems":1})"
            "\xFF[\"ab\", \"c\"]");
  seeds.Add("grammar", "choice",
            R"({"anyOf":[{"$ref":"#/$defs/a"},{"type":"number","multipleOf":0.5}],"$defs":{"a":)"
            R"({"type":"string","pattern":"^(a|b)+$"}}})"
            "\xFF 1.5");
  seeds.Add("grammar", "date", "{\"type\":\"string\",\"format\":\"date\"}\xFF\"2024-02-29\"");
  seeds.Add("grammar", "tool",
            R"(T{"type":"object","properties":{"q":{"type":"string"}}})"
            "\xFF{\"name\": \"f\", \"arguments\": {}}");
  seeds.Add("grammar", "regex", R"(/^[\w-]{1,3}(\.\d+|x?)*$)");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: write_seeds FOLDER\n", stderr);
    return 2;
  }
  const Seeds seeds(argv[1]);
  AddModels(seeds);
  AddPrograms(seeds);
  AddProfile(seeds);
  AddRequests(seeds);
  AddGrammars(seeds);
}
