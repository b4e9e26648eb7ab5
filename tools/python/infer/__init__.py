# SPDX-License-Identifier: Apache-2.0
"""Compiles language models and runs them.

    import infer
    model = infer.load("model.gguf")            # without a path: the bundled model
    for piece in model.session().generate("Once upon a time", max_tokens=64):
        print(piece, end="")
"""

import atexit

from infer._infer import Embedder, Engine, Model, Program, Session, Stream, __version__, load
from infer._infer import _cancel_streams
from infer._types import Error, Generation, PlacedNode, TokenChoice, TokenLogprob

# A stream that nobody reads any more still runs; it must end before the interpreter does.
atexit.register(_cancel_streams)

__all__ = [
    "Embedder",
    "Engine",
    "Error",
    "Generation",
    "Model",
    "PlacedNode",
    "Program",
    "Session",
    "Stream",
    "TokenChoice",
    "TokenLogprob",
    "__version__",
    "load",
]
