# SPDX-License-Identifier: Apache-2.0
"""What the module's functions return, as plain Python types."""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

import numpy


class Error(Exception):
    """An error of the library. `code` is the tools' exit code: 2 usage, 3 bad input, 4 no memory, 5 unavailable."""

    def __init__(self, message: str, code: int = 1):
        super().__init__(message)
        self.code = code


class PlacedNode(NamedTuple):
    """A node of a Program in one regime. A list of these is a table: pandas.DataFrame(program.placement())."""

    min_tokens: int  # of a call: the regime
    max_tokens: int
    name: str  # of all nodes that were fused: "layer.3/attn/q_proj+k_proj+v_proj"
    layer: int  # -1 outside layers
    op: str
    target: str
    kernel: str
    decided_by: str
    because: str
    weight_types: str
    estimate_ns_min: float  # at the regime's lower end; 0 without an estimate
    estimate_ns_max: float


class TokenLogprob(NamedTuple):
    """A token and the logarithm of its probability."""

    id: int
    logprob: float


class TokenChoice(NamedTuple):
    """A generated token and the likeliest ones that it was chosen from."""

    id: int
    logprob: float
    top: list[TokenLogprob]


@dataclasses.dataclass(frozen=True)
class Generation:
    """What was generated, and how."""

    text: str
    message: dict[str, Any]  # of a chat: the answer as the next turn of the conversation
    ids: list[int]  # without the end token
    reason: str  # max_tokens, end_token, stop_string, context_full, cancelled
    prompt_tokens: int
    cached_tokens: int  # tokens of the prompt that were in the cache
    first_token_ms: float
    prefill_ms: float
    decode_ms: float
    drafted_tokens: int
    accepted_tokens: int
    seed: int  # reproduces the text
    warnings: list[str]
    logits: numpy.ndarray | None  # float32 [tokens, vocabulary], with logits=True
    choices: list[TokenChoice]  # with top_logprobs
