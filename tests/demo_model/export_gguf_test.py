# SPDX-License-Identifier: Apache-2.0
"""The bundled model, read back and exported again, must give the same bytes.

    python3 export_gguf_test.py tools/demo_model tools/assets/tiny-tales-q8_0.gguf
"""

import sys
import tempfile
from pathlib import Path

scripts, model = Path(sys.argv[1]), Path(sys.argv[2])
sys.dont_write_bytecode = True
sys.path.insert(0, str(scripts))

from export_gguf import CONTROL, NORMAL, USER_DEFINED, export, from_gguf_tensors  # noqa: E402
from gguf_file import read_gguf  # noqa: E402


def config_of(meta, tensors):
    """The Hugging Face configuration that the metadata came from."""
    config = {
        "vocab_size": len(meta["tokenizer.ggml.tokens"]),
        "num_hidden_layers": meta["qwen3.block_count"],
        "max_position_embeddings": meta["qwen3.context_length"],
        "hidden_size": meta["qwen3.embedding_length"],
        "intermediate_size": meta["qwen3.feed_forward_length"],
        "num_attention_heads": meta["qwen3.attention.head_count"],
        "num_key_value_heads": meta["qwen3.attention.head_count_kv"],
        "head_dim": meta["qwen3.attention.key_length"],
        "rope_theta": meta["qwen3.rope.freq_base"],
        "rms_norm_eps": meta["qwen3.attention.layer_norm_rms_epsilon"],
        "tie_word_embeddings": "output.weight" not in tensors,
    }
    for name, key in (("bos", "bos"), ("eos", "eos"), ("pad", "padding")):
        config[f"{name}_token_id"] = meta[f"tokenizer.ggml.{key}_token_id"]
    return config


def tokenizer_of(meta):
    """The part of tokenizer.json that the export reads."""
    tokens = list(enumerate(zip(meta["tokenizer.ggml.tokens"], meta["tokenizer.ggml.token_type"])))
    added = [
        {"content": t, "id": i, "special": kind == CONTROL}
        for i, (t, kind) in tokens
        if kind in (CONTROL, USER_DEFINED)
    ]
    vocab = {t: i for i, (t, kind) in tokens if kind == NORMAL}
    return {"model": {"vocab": vocab, "merges": meta["tokenizer.ggml.merges"]}, "added_tokens": added}


def export_again(path):
    meta, tensors = read_gguf(model)
    state = from_gguf_tensors({name: x for name, (_, x) in tensors.items()})
    template = meta["tokenizer.chat_template"]
    export(path, config_of(meta, tensors), state, tokenizer_of(meta), template, meta["general.name"], "q8_0")


with tempfile.TemporaryDirectory() as folder:
    again = Path(folder) / "again.gguf"
    export_again(again)
    before, after = model.read_bytes(), again.read_bytes()
    if before != after:
        at = next((i for i, (a, b) in enumerate(zip(before, after)) if a != b), min(len(before), len(after)))
        sys.exit(
            f"the export differs from {model.name}: {len(after)} bytes instead of {len(before)}, first at byte {at}"
        )
print(f"{model.name}: {len(before)} bytes, identical")
