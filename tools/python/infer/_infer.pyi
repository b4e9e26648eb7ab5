# SPDX-License-Identifier: Apache-2.0
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy
from numpy.typing import NDArray

from infer._types import Generation, PlacedNode

__version__: str

def load(path: str | os.PathLike[str] | None = None) -> Model: ...
def _cancel_streams() -> None: ...

class Model:
    @property
    def name(self) -> str: ...
    @property
    def family(self) -> str: ...
    @property
    def vocabulary(self) -> int: ...
    @property
    def context(self) -> int: ...
    def encode(self, text: str) -> list[int]: ...
    def decode(self, ids: Sequence[int] | NDArray[numpy.int32]) -> str: ...
    def render_chat(self, messages: Sequence[Mapping[str, Any]], think: bool | None = None) -> str: ...
    def compile(
        self,
        policy: str | os.PathLike[str] = "",
        place: Sequence[str] = (),
        strict: bool = False,
        invariant: bool = False,
        kv_type: Literal["", "f16", "f32", "q8_0"] = "",
        machine: str | os.PathLike[str] = "",
        context: int = 0,
        chunk: int = 512,
        sequences: int = 1,
        drafts: bool = False,
    ) -> Program: ...
    def session(
        self,
        program: Program | None = None,
        threads: int = 0,
        context: int = 0,
        paged: bool = False,
        pack_cache: bool = False,
    ) -> Session: ...
    def engine(
        self,
        program: Program | None = None,
        threads: int = 0,
        sequences: int = 1,
        context: int = 0,
        paged: bool = False,
        pack_cache: bool = False,
    ) -> Engine: ...
    def embedder(
        self,
        pooling: Literal["", "last", "mean", "cls", "rank"] = "",
        policy: str | os.PathLike[str] = "",
        context: int = 0,
        chunk: int = 512,
        texts: int = 32,
        threads: int = 0,
        pack_cache: bool = False,
    ) -> Embedder: ...

class Program:
    @staticmethod
    def load(path: str | os.PathLike[str]) -> Program: ...
    @property
    def text(self) -> str: ...
    @property
    def protobuf(self) -> bytes: ...
    @property
    def summary(self) -> str: ...
    @property
    def warnings(self) -> list[str]: ...
    def save(self, path: str | os.PathLike[str]) -> None: ...
    def placement(self) -> list[PlacedNode]: ...

class Engine:
    @property
    def threads(self) -> int: ...
    @property
    def threads_text(self) -> str: ...
    @property
    def warnings(self) -> list[str]: ...
    def session(self) -> Session: ...
    def step(self, requests: Sequence[tuple[Session, Sequence[int]]]) -> NDArray[numpy.float32]: ...

class Session:
    @property
    def tokens(self) -> list[int]: ...
    def clear(self) -> None: ...
    def logits(self, tokens: Sequence[int] | NDArray[numpy.int32]) -> NDArray[numpy.float32]: ...
    def generate(
        self,
        prompt: str | Sequence[int] | NDArray[numpy.int32] = "",
        *,
        max_tokens: int = 256,
        temperature: float | None = None,
        top_k: int | None = None,
        top_p: float | None = None,
        min_p: float | None = None,
        repeat_penalty: float = 1.0,
        presence_penalty: float = 0.0,
        frequency_penalty: float = 0.0,
        repeat_last_n: int = 64,
        logit_bias: Mapping[int, float] = {},
        seed: int | None = None,
        stop: Sequence[str] = (),
        ignore_end: bool = False,
        drafts: bool = False,
        json_schema: str | Mapping[str, Any] = "",
        grammar: str = "",
        json: bool = False,
        logits: bool = False,
        top_logprobs: int = -1,
    ) -> Stream: ...
    def chat(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        max_tokens: int = 256,
        temperature: float | None = None,
        top_k: int | None = None,
        top_p: float | None = None,
        min_p: float | None = None,
        repeat_penalty: float = 1.0,
        presence_penalty: float = 0.0,
        frequency_penalty: float = 0.0,
        repeat_last_n: int = 64,
        logit_bias: Mapping[int, float] = {},
        seed: int | None = None,
        stop: Sequence[str] = (),
        ignore_end: bool = False,
        drafts: bool = False,
        json_schema: str | Mapping[str, Any] = "",
        grammar: str = "",
        json: bool = False,
        logits: bool = False,
        top_logprobs: int = -1,
        think: bool | None = None,
        think_budget: int = -1,
        tools: Sequence[str | Mapping[str, Any]] = (),
        tool_choice: str = "auto",
        parallel_tool_calls: bool = True,
        bind_tool_arguments: bool = True,
    ) -> Stream: ...

class Stream(Iterator[str]):
    def __iter__(self) -> Stream: ...
    def __next__(self) -> str: ...
    def cancel(self) -> None: ...
    def result(self) -> Generation: ...

class Embedder:
    @property
    def dimensions(self) -> int: ...
    def embed(
        self,
        texts: str | Sequence[str],
        instruction: str = "",
        dimensions: int = 0,
        normalize: bool = True,
    ) -> NDArray[numpy.float32]: ...
    def rerank(
        self, query: str, documents: Sequence[str], instruction: str = ""
    ) -> NDArray[numpy.float64]: ...
