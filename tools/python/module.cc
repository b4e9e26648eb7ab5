// SPDX-License-Identifier: Apache-2.0
//
// The extension module infer._infer. Whatever may take long runs without the GIL.
#include <infer/infer.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "tools/python/convert.h"
#include "tools/python/text_stream.h"

namespace infer::python {
namespace {

namespace py = pybind11;
using py::literals::operator""_a;

// Runs `work`, which touches no Python object, while other threads of Python may run.
template <class Work>
auto WithoutGil(const Work& work) {
  py::gil_scoped_release release;
  return work();
}

class Streams {
 public:
  void Add(const std::shared_ptr<TextStream>& stream) {
    std::lock_guard<std::mutex> lock(mutex_);
    std::erase_if(streams_, [](const auto& held) { return held.expired(); });
    streams_.push_back(stream);
  }
  void CancelAll() {
    std::lock_guard<std::mutex> lock(mutex_);
    for (const std::weak_ptr<TextStream>& held : streams_) {
      const std::shared_ptr<TextStream> stream = held.lock();
      if (stream == nullptr) continue;
      stream->Cancel();
      std::string dropped;
      while (stream->Next(std::chrono::seconds(1), &dropped) != TextStream::State::kEnded) {
      }
    }
  }

 private:
  std::mutex mutex_;
  std::vector<std::weak_ptr<TextStream>> streams_;
};

Streams& AllStreams() {
  static auto* streams = new Streams;  // never destroyed: threads may outlive static objects
  return *streams;
}

// A stream as Python holds it. Its end waits for the thread, which needs no GIL.
class HeldStream {
 public:
  explicit HeldStream(std::shared_ptr<TextStream> stream) : stream_(std::move(stream)) {
    AllStreams().Add(stream_);
  }
  ~HeldStream() {
    py::gil_scoped_release release;
    stream_.reset();
  }
  HeldStream(const HeldStream&) = delete;
  HeldStream& operator=(const HeldStream&) = delete;

  py::str Next() {
    std::string piece;
    if (!Wait(&piece)) {
      if (!stream_->result().ok()) Raise(stream_->result().error());
      throw py::stop_iteration();
    }
    return TextOf(piece);
  }
  py::object ResultOf() {
    std::string dropped;
    while (Wait(&dropped)) {
    }
    return GenerationOf(*stream_);
  }
  void Cancel() { stream_->Cancel(); }

 private:
  // Returns false at the end. Looks at Python's signals, so that Ctrl-C ends the wait.
  bool Wait(std::string* piece) {
    for (;;) {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      const TextStream::State state =
          WithoutGil([&] { return stream_->Next(std::chrono::milliseconds(100), piece); });
      if (state == TextStream::State::kPiece) return true;
      if (state == TextStream::State::kEnded) return false;
    }
  }

  std::shared_ptr<TextStream> stream_;
};

// A sequence as Python holds it.
class HeldSession {
 public:
  explicit HeldSession(std::shared_ptr<SharedSequence> sequence) : sequence_(std::move(sequence)) {}

  std::unique_ptr<HeldStream> Generate(const py::object& prompt, const py::kwargs& arguments) {
    if (py::isinstance<py::str>(prompt)) {
      return Start(arguments, false,
                   [text = py::cast<std::string>(prompt)](auto& sequence, const auto& options) {
                     return sequence.Generate(text, options);
                   });
    }
    return Start(arguments, false, [ids = Tokens(prompt)](auto& sequence, const auto& options) {
      return sequence.Generate(ids, options);
    });
  }
  std::unique_ptr<HeldStream> Chat(const py::object& messages, const py::kwargs& arguments) {
    return Start(arguments, true,
                 [turns = Messages(messages)](auto& sequence, const auto& options) {
                   return sequence.Chat(turns, options);
                 });
  }
  py::array_t<float> Logits(const py::object& tokens) {
    const Use use(*sequence_);
    const StepRequest request{sequence_->sequence, Tokens(tokens)};
    const auto rows = ValueOf(WithoutGil([&] { return sequence_->engine.Step({request}); }));
    return py::array_t<float>(static_cast<py::ssize_t>(rows[0].size()), rows[0].data());
  }
  std::vector<int32_t> CachedTokens() {
    const Use use(*sequence_);
    return sequence_->sequence.tokens();
  }
  void Clear() {
    const Use use(*sequence_);
    WithoutGil([&] { sequence_->sequence.Clear(); });
  }

  // Makes the sequence busy for as long as it exists, or until a stream takes over.
  class Use {
   public:
    explicit Use(SharedSequence& sequence) : sequence_(&sequence) {
      if (sequence.busy.exchange(true)) {
        Raise({2, "the session is still generating; read its stream to the end or cancel it"});
      }
    }
    ~Use() {
      if (sequence_ != nullptr) sequence_->busy = false;
    }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    void HandOver() { sequence_ = nullptr; }

   private:
    SharedSequence* sequence_;
  };
  SharedSequence& shared() { return *sequence_; }

 private:
  std::unique_ptr<HeldStream> Start(const py::kwargs& arguments, bool chat, TextStream::Work work) {
    GenerateOptions options;
    const bool keep_logits = FillOptions(arguments, chat, &options);
    Use use(*sequence_);
    auto stream =
        std::make_shared<TextStream>(sequence_, std::move(options), keep_logits, std::move(work));
    use.HandOver();
    return std::make_unique<HeldStream>(std::move(stream));
  }

  std::shared_ptr<SharedSequence> sequence_;
};

HeldSession NewSession(Engine& engine) {
  return HeldSession(std::make_shared<SharedSequence>(
      engine, ValueOf(WithoutGil([&] { return engine.NewSequence(); }))));
}

py::array_t<float> StepTogether(Engine& engine, const py::object& requests) {
  std::vector<StepRequest> steps;
  std::vector<std::unique_ptr<HeldSession::Use>> uses;
  for (py::handle request : requests) {
    const auto pair = py::cast<std::pair<HeldSession*, py::object>>(request);
    uses.push_back(std::make_unique<HeldSession::Use>(pair.first->shared()));
    steps.push_back({pair.first->shared().sequence, Tokens(pair.second)});
  }
  return Rows(ValueOf(WithoutGil([&] { return engine.Step(steps); })));
}

Model LoadModel(const py::object& path) {
  if (path.is_none()) return ValueOf(WithoutGil([] { return Model::LoadBundled(); }));
  const std::string text = PathText(path);
  return ValueOf(WithoutGil([&] { return Model::Load(text); }));
}

Program CompileModel(const Model& model, const py::object& policy,
                     const std::vector<std::string>& place, bool strict, bool invariant,
                     const std::string& kv_type, const py::object& machine, int64_t context,
                     int64_t chunk, int sequences, bool drafts) {
  CompileOptions options;
  options.policy = PathText(policy);
  options.overrides = place;
  options.strict = strict;
  options.invariant = invariant;
  options.kv_type = kv_type;
  options.machine = PathText(machine);
  options.context = context;
  options.chunk = chunk;
  options.sequences = sequences;
  options.drafts = drafts;
  return ValueOf(WithoutGil([&] { return Compile(model, options); }));
}

Engine MakeEngine(const Model& model, const Program* program, int threads, int sequences,
                  int64_t context, bool paged, bool pack_cache) {
  EngineOptions options;
  options.threads = threads;
  options.sequences = sequences;
  options.context = context;
  options.paged = paged;
  options.pack_cache = pack_cache;
  return ValueOf(WithoutGil([&]() -> Result<Engine> {
    if (program != nullptr) return Engine::Create(model, *program, options);
    CompileOptions compile;
    compile.context = context;
    compile.sequences = sequences;
    Result<Program> compiled = Compile(model, compile);
    if (!compiled.ok()) return compiled.error();
    return Engine::Create(model, compiled.value(), options);
  }));
}

HeldSession MakeSession(const Model& model, const Program* program, int threads, int64_t context,
                        bool paged, bool pack_cache) {
  Engine engine = MakeEngine(model, program, threads, 1, context, paged, pack_cache);
  return NewSession(engine);
}

Embedder MakeEmbedder(const Model& model, const std::string& pooling, const py::object& policy,
                      int64_t context, int64_t chunk, int texts, int threads, bool pack_cache) {
  EmbedderOptions options;
  options.pooling = pooling;
  options.policy = PathText(policy);
  options.context = context;
  options.chunk = chunk;
  options.texts = texts;
  options.threads = threads;
  options.pack_cache = pack_cache;
  return ValueOf(WithoutGil([&] { return Embedder::Create(model, options); }));
}

py::array_t<float> EmbedTexts(const Embedder& embedder, const py::object& texts,
                              const std::string& instruction, int64_t dimensions, bool normalize) {
  // A str is a sequence of texts too, of one character each, which nobody means.
  const auto list = py::isinstance<py::str>(texts)
                        ? std::vector<std::string>{py::cast<std::string>(texts)}
                        : py::cast<std::vector<std::string>>(texts);
  EmbedOptions options;
  options.instruction = instruction;
  options.dimensions = dimensions;
  options.normalize = normalize;
  return Rows(ValueOf(WithoutGil([&] { return embedder.Embed(list, options); })));
}

py::array_t<double> RerankTexts(const Embedder& embedder, const std::string& query,
                                const std::vector<std::string>& documents,
                                const std::string& instruction) {
  EmbedOptions options;
  options.instruction = instruction;
  const auto scores =
      ValueOf(WithoutGil([&] { return embedder.Rerank(query, documents, options); }));
  return py::array_t<double>(static_cast<py::ssize_t>(scores.size()), scores.data());
}

void SaveProgram(const Program& program, const py::object& path) {
  const std::string name = PathText(path);
  const std::string bytes = ValueOf(program.Serialize());
  std::ofstream file(name, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) Raise({1, name + ": cannot be written"});
}

void DefineModel(py::module_& module) {
  const py::object none = py::none();
  py::class_<Model>(module, "Model", "A model file: opened, checked and mapped.")
      .def_property_readonly("name", &Model::name)
      .def_property_readonly("family", &Model::family)
      .def_property_readonly("vocabulary", &Model::vocabulary)
      .def_property_readonly("context", &Model::context, "Positions it was trained for.")
      .def(
          "encode",
          [](const Model& model, const std::string& text) { return ValueOf(model.Encode(text)); },
          "text"_a)
      .def(
          "decode",
          [](const Model& model, const py::object& ids) {
            return TextOf(ValueOf(model.Decode(Tokens(ids))));
          },
          "ids"_a)
      .def(
          "render_chat",
          [](const Model& model, const py::object& messages, const py::object& think) {
            return TextOf(ValueOf(model.RenderChat(Messages(messages), ThinkOf(think))));
          },
          "messages"_a, "think"_a = none, "The prompt for the next answer.")
      .def("compile", &CompileModel, "policy"_a = "", "place"_a = std::vector<std::string>(),
           "strict"_a = false, "invariant"_a = false, "kv_type"_a = "", "machine"_a = "",
           "context"_a = 0, "chunk"_a = 512, "sequences"_a = 1, "drafts"_a = false,
           "Compiles the model for this machine. `place` are rules that come before the policy's.")
      .def("engine", &MakeEngine, "program"_a = none, "threads"_a = 0, "sequences"_a = 1,
           "context"_a = 0, "paged"_a = false, "pack_cache"_a = false,
           "Packs the weights and starts the threads, for several sessions.")
      .def("session", &MakeSession, "program"_a = none, "threads"_a = 0, "context"_a = 0,
           "paged"_a = false, "pack_cache"_a = false, "One session with an engine of its own.")
      .def("embedder", &MakeEmbedder, "pooling"_a = "", "policy"_a = "", "context"_a = 0,
           "chunk"_a = 512, "texts"_a = 32, "threads"_a = 0, "pack_cache"_a = false,
           "Turns texts into vectors, or scores documents for a query.");
}

void DefineProgram(py::module_& module) {
  py::class_<Program>(module, "Program", "A compiled model.")
      .def_static(
          "load",
          [](const py::object& path) {
            const std::string name = PathText(path);
            return ValueOf(WithoutGil([&] { return Program::Load(name); }));
          },
          "path"_a)
      .def("save", &SaveProgram, "path"_a, "Writes `protobuf`, for infer-run -g and infer-viz.")
      .def_property_readonly("text", &Program::ToText)
      .def_property_readonly(
          "protobuf",
          [](const Program& program) { return py::bytes(ValueOf(program.Serialize())); })
      .def_property_readonly("summary", &Program::Summary)
      .def_property_readonly("warnings", &Program::warnings)
      .def("placement", &PlacementOf, "Where each node runs and why.");
}

void DefineRunning(py::module_& module) {
  py::class_<Engine>(module, "Engine", "A compiled model in use. Any number of threads may use it.")
      .def_property_readonly("threads", &Engine::threads)
      .def_property_readonly("threads_text", &Engine::threads_text)
      .def_property_readonly("warnings", &Engine::warnings)
      .def("session", &NewSession, "A new session; there are at most `sequences` of them.")
      .def("step", &StepTogether, "requests"_a,
           "Appends tokens to several sessions in one call of the model; the logits after the last "
           "token of each.");
  py::class_<HeldSession>(module, "Session", "A text or conversation in progress.")
      .def_property_readonly("tokens", &HeldSession::CachedTokens, "Tokens in the cache.")
      .def("clear", &HeldSession::Clear)
      .def("logits", &HeldSession::Logits, "tokens"_a,
           "Appends tokens and returns the logits after the last.")
      .def("generate", &HeldSession::Generate, py::arg("prompt") = "",
           "Continues a text or token ids: an iterator over pieces of text.")
      .def("chat", &HeldSession::Chat, "messages"_a,
           "Answers the last message: an iterator over pieces of the answer.");
  py::class_<HeldStream>(module, "Stream", "A generation that runs; iterating waits for its text.")
      .def("__iter__", [](py::object self) { return self; })
      .def("__next__", &HeldStream::Next)
      .def("cancel", &HeldStream::Cancel, "Ends the generation at the next token.")
      .def("result", &HeldStream::ResultOf, "Waits for the end.");
  py::class_<Embedder>(module, "Embedder", "Texts to vectors. Any number of threads may use it.")
      .def_property_readonly("dimensions", &Embedder::dimensions)
      .def("embed", &EmbedTexts, "texts"_a, "instruction"_a = "", "dimensions"_a = 0,
           "normalize"_a = true, "A row for each text.")
      .def("rerank", &RerankTexts, "query"_a, "documents"_a, "instruction"_a = "",
           "A score from 0 to 1 for each document; only with the pooling rank.");
}

}  // namespace

PYBIND11_MODULE(_infer, module) {
  module.attr("__version__") = INFER_VERSION;
  DefineProgram(module);
  DefineModel(module);
  DefineRunning(module);
  module.def("load", &LoadModel, "path"_a = py::none(),
             "Opens a GGUF file; without a path the bundled model.");
  module.def("_cancel_streams", [] { WithoutGil([] { AllStreams().CancelAll(); }); });
}

}  // namespace infer::python
