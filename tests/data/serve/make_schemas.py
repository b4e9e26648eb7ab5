#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the JSON schemas of what infer-serve answers, beside this file.

They say which members an answer has and which it may lack; anything else is an error. Written from the
specifications of OpenAI and Anthropic; tests/tools/serve/clients checks them against the types of the clients.
"""
import json
import pathlib

TEXT = {"type": "string"}
COUNT = {"type": "integer", "minimum": 0}
NUMBER = {"type": "number"}
NULL = {"type": "null"}
FLAG = {"type": "boolean"}
OBJECT = {"type": "object"}
BYTE = {"type": "integer", "minimum": 0, "maximum": 255}
NOTHING = {"const": []}


def members(properties, optional=()):
    required = [name for name in properties if name not in optional]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def array(items):
    return {"type": "array", "items": items}


def const(value):
    return {"const": value}


def enum(*values):
    return {"enum": list(values)}


def any_of(*schemas):
    return {"anyOf": list(schemas)}


def nullable(schema):
    return any_of(schema, NULL)


TOKEN = {"token": TEXT, "logprob": NUMBER, "bytes": array(BYTE)}
ENTRY = members({**TOKEN, "top_logprobs": array(members(TOKEN))})
FACTS = members({"cached_tokens": COUNT, "cache_end": TEXT, "queue_ms": NUMBER, "prefill_ms": NUMBER,
                 "decode_ms": NUMBER})


def chat():
    logprobs = nullable(members({"content": array(ENTRY), "refusal": NULL}))
    finish = enum("stop", "length", "tool_calls")
    head = {"id": TEXT, "created": COUNT, "model": TEXT, "system_fingerprint": TEXT}
    usage = members({
        "prompt_tokens": COUNT, "completion_tokens": COUNT, "total_tokens": COUNT,
        "prompt_tokens_details": members({"cached_tokens": COUNT}),
        "completion_tokens_details": members({"reasoning_tokens": COUNT})})
    thought = {"reasoning_content": TEXT, "reasoning": TEXT}
    call = members({"id": TEXT, "type": const("function"), "function": members({"name": TEXT, "arguments": TEXT})})
    message = members({"role": const("assistant"), "content": nullable(TEXT), "refusal": NULL, **thought,
                       "tool_calls": array(call)}, (*thought, "tool_calls"))
    choice = members({"index": COUNT, "message": message, "logprobs": logprobs, "finish_reason": finish})
    piece = members({"index": COUNT, "id": TEXT, "type": const("function"),
                     "function": members({"name": TEXT, "arguments": TEXT}, ("name",))}, ("id", "type"))
    parts = {"role": const("assistant"), "content": TEXT, **thought, "tool_calls": array(piece)}
    delta = members({"index": COUNT, "delta": members(parts, tuple(parts)), "logprobs": logprobs,
                     "finish_reason": nullable(finish)})
    columns = nullable(members({
        "tokens": array(TEXT), "token_logprobs": array(NUMBER),
        "top_logprobs": array({"type": "object", "additionalProperties": NUMBER}), "text_offset": array(COUNT)}))
    plain = {"index": COUNT, "text": TEXT, "logprobs": columns}
    ends = enum("stop", "length")
    text_head = {**head, "object": const("text_completion")}
    tail = {"usage": nullable(usage), "infer": FACTS}
    return {
        "chat_completion": members({**head, "object": const("chat.completion"), "choices": array(choice),
                                    "usage": usage, "infer": FACTS}),
        "chat_completion_chunk": members({**head, "object": const("chat.completion.chunk"),
                                          "choices": array(delta), **tail}, tuple(tail)),
        "completion": members({**text_head, "choices": array(members({**plain, "finish_reason": ends})),
                               "usage": usage, "infer": FACTS}),
        "completion_chunk": members({
            **text_head, "choices": array(members({**plain, "finish_reason": nullable(ends)})), **tail}, tuple(tail)),
        "error": members({"error": members({"message": TEXT, "type": TEXT, "param": nullable(TEXT),
                                            "code": nullable(TEXT)}), "type": const("error")}, ("type",)),
        "models": members({
            "object": const("list"),
            "data": array(members({"id": TEXT, "object": const("model"), "type": const("model"), "created": COUNT,
                                   "created_at": TEXT, "display_name": TEXT, "owned_by": TEXT,
                                   "max_model_len": COUNT})),
            "first_id": TEXT, "last_id": TEXT, "has_more": const(False)}),
    }


def responses():
    status = enum("in_progress", "completed", "incomplete")
    part = members({"type": const("output_text"), "text": TEXT, "annotations": NOTHING, "logprobs": array(ENTRY)})
    thought = members({"type": const("reasoning_text"), "text": TEXT})
    item = any_of(
        members({"type": const("message"), "id": TEXT, "status": status, "role": const("assistant"),
                 "content": array(part)}),
        members({"type": const("reasoning"), "id": TEXT, "status": status, "summary": NOTHING,
                 "content": array(thought)}),
        members({"type": const("function_call"), "id": TEXT, "call_id": TEXT, "name": TEXT, "arguments": TEXT,
                 "status": status}))
    usage = members({
        "input_tokens": COUNT, "input_tokens_details": members({"cached_tokens": COUNT, "cache_write_tokens": COUNT}),
        "output_tokens": COUNT,
        "output_tokens_details": members({"reasoning_tokens": COUNT}), "total_tokens": COUNT})
    response = members({
        "id": TEXT, "object": const("response"), "created_at": COUNT, "status": status, "background": const(False),
        "error": NULL, "incomplete_details": nullable(members({"reason": const("max_output_tokens")})),
        "instructions": nullable(TEXT), "max_output_tokens": nullable(COUNT), "model": TEXT, "output": array(item),
        "parallel_tool_calls": FLAG, "previous_response_id": NULL, "reasoning": OBJECT, "store": const(False),
        "temperature": nullable(NUMBER), "text": OBJECT, "tool_choice": any_of(TEXT, OBJECT), "tools": array(OBJECT),
        "top_logprobs": COUNT, "top_p": nullable(NUMBER), "truncation": const("disabled"), "usage": usage,
        "user": NULL, "metadata": OBJECT, "infer": FACTS}, ("usage", "infer"))
    place = {"item_id": TEXT, "output_index": COUNT}
    content = {**place, "content_index": COUNT}

    def event(name, /, **properties):
        return members({"type": const(name), "sequence_number": COUNT, **properties})

    return {"response": response, "response_event": any_of(
        *[event(f"response.{name}", response=response) for name in ("created", "in_progress", "completed", "incomplete")],
        *[event(f"response.output_item.{name}", output_index=COUNT, item=item) for name in ("added", "done")],
        *[event(f"response.content_part.{name}", **content, part=any_of(part, thought)) for name in ("added", "done")],
        event("response.output_text.delta", **content, delta=TEXT, logprobs=array(ENTRY)),
        event("response.output_text.done", **content, text=TEXT, logprobs=array(ENTRY)),
        event("response.reasoning_text.delta", **content, delta=TEXT),
        event("response.reasoning_text.done", **content, text=TEXT),
        event("response.function_call_arguments.delta", **place, delta=TEXT),
        event("response.function_call_arguments.done", **place, name=TEXT, arguments=TEXT),
        event("error", code=TEXT, message=TEXT, param=nullable(TEXT)))}


def messages():
    usage = members({name: COUNT for name in (
        "input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")})
    block = any_of(
        members({"type": const("text"), "text": TEXT, "citations": NULL}),
        members({"type": const("thinking"), "thinking": TEXT, "signature": TEXT}),
        members({"type": const("tool_use"), "id": TEXT, "name": TEXT, "input": OBJECT}))
    end = {"stop_reason": nullable(enum("end_turn", "max_tokens", "stop_sequence", "tool_use")),
           "stop_sequence": nullable(TEXT)}
    message = members({"id": TEXT, "type": const("message"), "role": const("assistant"), "model": TEXT,
                       "content": array(block), **end, "usage": usage, "infer": FACTS}, ("infer",))
    error = members({"type": TEXT, "message": TEXT})

    def event(name, /, **properties):
        return members({"type": const(name), **properties})

    delta = any_of(event("text_delta", text=TEXT), event("thinking_delta", thinking=TEXT),
                   event("signature_delta", signature=TEXT), event("input_json_delta", partial_json=TEXT))
    return {"message": message, "message_error": event("error", error=error), "message_event": any_of(
        event("message_start", message=message), event("content_block_start", index=COUNT, content_block=block),
        event("content_block_delta", index=COUNT, delta=delta), event("content_block_stop", index=COUNT),
        event("message_delta", delta=members(end), usage=usage), event("message_stop"), event("ping"),
        event("error", error=error))}


def vectors():
    usage = members({"prompt_tokens": COUNT, "total_tokens": COUNT})
    head = {"object": const("list"), "model": TEXT, "usage": usage}
    # A text is the base64 form of little-endian floats.
    embedding = members({"object": const("embedding"), "index": COUNT, "embedding": any_of(array(NUMBER), TEXT)})
    score = {"type": "number", "minimum": 0, "maximum": 1}
    result = members({"index": COUNT, "relevance_score": score, "document": members({"text": TEXT})}, ("document",))
    return {"embeddings": members({**head, "data": array(embedding)}),
            "rerank": members({**head, "results": array(result)})}


def main():
    folder = pathlib.Path(__file__).parent
    for name, schema in {**chat(), **responses(), **messages(), **vectors()}.items():
        text = json.dumps({"$schema": "http://json-schema.org/draft-07/schema#", **schema}, separators=(",", ":"))
        (folder / f"{name}.schema.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
