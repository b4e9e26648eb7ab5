// SPDX-License-Identifier: Apache-2.0
#include "ir/proto/serialize.h"

#include <google/protobuf/text_format.h>

#include "ir/base/advice.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/policy/policy_proto.h"
#include "ir/policy/protobuf_compat.h"
#include "ir/proto/graph_proto.h"
#include "ir/proto/program_file.h"
#include "ir/proto/serialize_kernel_choices.h"
#include "ir/proto/serialize_weights.h"
#include "ir/verify/verifier.h"

namespace infer {
namespace {

absl::StatusOr<proto::Program> ProgramToProto(const Program& program) {
  RETURN_IF_ERROR(Verify(program));
  proto::Program out;
  out.set_format(std::string(kProgramFormat));
  out.set_schema_version(program.schema_version);
  for (const ModelRef::File& file : program.model.files) {
    proto::Model::File* made = out.mutable_model()->add_files();
    made->set_name(file.name);
    made->set_bytes(file.bytes);
  }
  out.mutable_model()->set_header_hash(program.model.header_hash);
  for (const Weight& weight : program.weights) WeightToProto(weight, out.add_weights());
  for (const State& state : program.states) StateToProto(state, out.add_states());
  PolicyToProto(program.policy, out.mutable_policy());
  for (const std::string& text : program.overrides) out.add_overrides(text);
  out.mutable_machine()->set_text(program.machine.text);
  out.mutable_machine()->set_origin(EnumToProto<proto::Machine::Origin>(program.machine.origin));
  SymbolsToProto(program.symbols, out.mutable_symbols());
  if (program.sequences != 1) out.set_sequences(program.sequences);
  for (const Regime& regime : program.regimes) {
    proto::Regime* made = out.add_regimes();
    made->set_min_tokens(regime.min_tokens);
    made->set_max_tokens(regime.max_tokens);
    GraphToProto(regime.graph, made->mutable_graph());
    made->mutable_kernel_choices()->Assign(regime.kernel_choices.begin(),
                                           regime.kernel_choices.end());
  }
  KernelChoicesToProto(program, &out);
  for (const PassRecord& pass : program.passes) {
    proto::PassRecord* made = out.add_passes();
    made->set_name(pass.name);
    made->set_changed(pass.changed);
    made->set_nodes_before(pass.nodes_before);
    made->set_nodes_after(pass.nodes_after);
    made->set_regime(pass.regime);
  }
  return out;
}

absl::Status ReadRegimes(const proto::Program& in, Program* program) {
  GraphLimits limits;
  for (const proto::Regime& regime : in.regimes()) {
    absl::StatusOr<Graph> graph = GraphFromProto(regime.graph(), &limits);
    if (!graph.ok()) {
      return absl::InvalidArgumentError(StrCat("the regime of ", regime.min_tokens(), "..",
                                               regime.max_tokens(),
                                               " tokens: ", ToStd(graph.status().message())));
    }
    program->regimes.push_back({regime.min_tokens(),
                                regime.max_tokens(),
                                *std::move(graph),
                                {regime.kernel_choices().begin(), regime.kernel_choices().end()}});
  }
  return absl::OkStatus();
}

absl::StatusOr<Program> ProgramFromProto(const proto::Program& in) {
  Program program;
  program.schema_version = in.schema_version();
  for (const proto::Model::File& file : in.model().files()) {
    program.model.files.push_back({file.name(), file.bytes()});
  }
  program.model.header_hash = in.model().header_hash();
  for (const proto::Weight& weight : in.weights()) {
    ASSIGN_OR_RETURN(Weight read, WeightFromProto(weight));
    program.weights.push_back(std::move(read));
  }
  for (const proto::State& state : in.states()) {
    ASSIGN_OR_RETURN(State read, StateFromProto(state));
    program.states.push_back(std::move(read));
  }
  ASSIGN_OR_RETURN(program.policy, PolicyFromProto(in.policy()));
  program.overrides.assign(in.overrides().begin(), in.overrides().end());
  program.machine.text = in.machine().text();
  ASSIGN_OR_RETURN(
      program.machine.origin,
      EnumFromProto(in.machine().origin(), Machine::Origin::kCalibrated, "the machine's origin"));
  program.symbols = SymbolsFromProto(in.symbols());
  if (in.sequences() != 0) program.sequences = in.sequences();
  RETURN_IF_ERROR(ReadRegimes(in, &program));
  RETURN_IF_ERROR(ReadKernelChoices(in, &program));
  for (const proto::PassRecord& pass : in.passes()) {
    program.passes.push_back(
        {pass.name(), pass.changed(), pass.nodes_before(), pass.nodes_after(), pass.regime()});
  }
  RETURN_IF_ERROR(Verify(program));
  return program;
}

template <class Message>
absl::Status ReadFile(std::string_view bytes, std::string_view format, Message* message) {
  if (std::string_view found = FormatOf(bytes); found == kProfileFormat) {
    return CheckFormat(found, format);
  }
  RETURN_IF_ERROR(ParseSealed(bytes, message));
  RETURN_IF_ERROR(CheckFormat(message->format(), format));
  RETURN_IF_ERROR(CheckVersion(message->schema_version()));
  return VerifyChecksum(bytes);
}

absl::Status Refusal(std::string_view where, const absl::Status& status) {
  if (!AdviceOf(status).empty()) {
    return WithMessage(status, StrCat(where, ": ", ToStd(status.message())));
  }
  return WithAdvice(absl::InvalidArgumentError(
                        StrCat(where, ": ", ToStd(status.message()), "; compile the model again")),
                    {Advice::kCompile});
}

absl::StatusOr<Program> ReadProgram(std::string_view bytes) {
  proto::Program message;
  RETURN_IF_ERROR(ReadFile(bytes, kProgramFormat, &message));
  return ProgramFromProto(message);
}

absl::StatusOr<Graph> ReadGraph(std::string_view bytes) {
  proto::GraphFile message;
  RETURN_IF_ERROR(ReadFile(bytes, kGraphFormat, &message));
  GraphLimits limits;
  ASSIGN_OR_RETURN(Graph graph, GraphFromProto(message.graph(), &limits));
  RETURN_IF_ERROR(Verify(graph));
  return graph;
}

absl::StatusOr<proto::GraphFile> GraphFileOf(const Graph& graph) {
  RETURN_IF_ERROR(Verify(graph));
  proto::GraphFile message;
  message.set_format(std::string(kGraphFormat));
  message.set_schema_version(kProgramSchemaVersion);
  GraphToProto(graph, message.mutable_graph());
  return message;
}

absl::StatusOr<std::string> MessageToText(const google::protobuf::Message& message) {
  std::string text;
  if (!google::protobuf::TextFormat::PrintToString(message, &text)) {
    return absl::InternalError("cannot write the message as text");
  }
  return text;
}

}  // namespace

absl::StatusOr<std::string> SerializeProgram(const Program& program) {
  ASSIGN_OR_RETURN(proto::Program message, ProgramToProto(program));
  return SealMessage(message);
}

absl::StatusOr<Program> DeserializeProgram(std::string_view bytes, std::string_view where) {
  absl::StatusOr<Program> program = ReadProgram(bytes);
  if (!program.ok()) return Refusal(where, program.status());
  return program;
}

absl::StatusOr<std::string> SerializeGraph(const Graph& graph) {
  ASSIGN_OR_RETURN(proto::GraphFile message, GraphFileOf(graph));
  return SealMessage(message);
}

absl::StatusOr<Graph> DeserializeGraph(std::string_view bytes, std::string_view where) {
  absl::StatusOr<Graph> graph = ReadGraph(bytes);
  if (!graph.ok()) return Refusal(where, graph.status());
  return graph;
}

absl::StatusOr<std::string> ProgramToTextproto(const Program& program) {
  ASSIGN_OR_RETURN(proto::Program message, ProgramToProto(program));
  return MessageToText(message);
}

absl::StatusOr<std::string> ProgramToJson(const Program& program) {
  ASSIGN_OR_RETURN(proto::Program message, ProgramToProto(program));
  return MessageToJson(message);
}

absl::StatusOr<std::string> GraphToTextproto(const Graph& graph) {
  ASSIGN_OR_RETURN(proto::GraphFile message, GraphFileOf(graph));
  return MessageToText(message);
}

absl::StatusOr<std::string> GraphToJson(const Graph& graph) {
  ASSIGN_OR_RETURN(proto::GraphFile message, GraphFileOf(graph));
  return MessageToJson(message);
}

}  // namespace infer
