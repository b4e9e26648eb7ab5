# SPDX-License-Identifier: Apache-2.0
"""Conversations as Qwen3's chat template writes them, with marks for training."""

import json

NO_LOSS = "\x01"  # marks the next token as one the model should not be trained to produce

TOOL_INTRO = (
    "# Tools\n\nYou may call one or more functions to assist with the user query.\n\n"
    "You are provided with function signatures within <tools></tools> XML tags:\n<tools>"
)
TOOL_OUTRO = (
    "\n</tools>\n\nFor each function call, return a json object with function name and arguments within "
    '<tool_call></tool_call> XML tags:\n<tool_call>\n{"name": <function-name>, "arguments": '
    "<args-json-object>}\n</tool_call><|im_end|>\n"
)


def render(messages, tools=None):
    """Render messages as Qwen3's chat template does, with NO_LOSS marks for training.

    A message is a dict with "role", "content" and, for the assistant, "think" and "call". The last message must
    come from the assistant. Marked are the first token of earlier answers (the template strips their thoughts, and
    the model should not learn to skip them) and the empty thought when nothing asked for it.
    """
    out, rest = [], messages
    if tools:
        system = ""
        if messages[0]["role"] == "system":
            system, rest = messages[0]["content"] + "\n\n", messages[1:]
        out.append("<|im_start|>system\n" + system + TOOL_INTRO)
        out.extend("\n" + json.dumps(tool, ensure_ascii=False) for tool in tools)
        out.append(TOOL_OUTRO)
    last_user = max(i for i, m in enumerate(rest) if m["role"] == "user")
    for i, message in enumerate(rest):
        role, content = message["role"], message["content"]
        if role in ("system", "user"):
            out.append(f"<|im_start|>{role}\n{content}<|im_end|>\n")
        elif role == "tool":
            out.append(f"<|im_start|>user\n<tool_response>\n{content}\n</tool_response><|im_end|>\n")
        else:
            think, last = message.get("think", ""), i == len(rest) - 1
            out.append("<|im_start|>assistant\n")
            if i > last_user and (last or think):
                asked = rest[last_user]["content"].endswith("/no_think")
                mark = "" if think or asked else NO_LOSS
                out.append(f"<think>{mark}\n{think}\n</think>\n\n")
            else:
                out.append(NO_LOSS)
            out.append(content)
            if message.get("call"):
                out.append(("\n" if content else "") + f"<tool_call>\n{message['call']}\n</tool_call>")
            out.append("<|im_end|>\n")
    return "".join(out)
