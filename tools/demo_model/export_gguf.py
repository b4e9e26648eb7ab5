#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write a Qwen3 or Qwen3-MoE model as a GGUF v3 file. Needs numpy only.

The input is a Hugging Face folder with config.json, model.safetensors, tokenizer.json and chat_template.jinja (or
tokenizer_config.json). The metadata keys, the tensor names and the block formats are those that llama.cpp's
converter writes for these models.

    python3 export_gguf.py model-folder --type f16 --name tiny-tales --out tiny-tales-f16.gguf
"""

import argparse
import json
import struct
from pathlib import Path

import numpy as np

from gguf_file import ARRAY, BOOL, F32, I32, STRING, TENSOR_F16, TENSOR_F32, TENSOR_Q8_0, U32, write_gguf

FILE_TYPES = {"f32": (TENSOR_F32, 0), "f16": (TENSOR_F16, 1), "q8_0": (TENSOR_Q8_0, 7)}
NORMAL, CONTROL, USER_DEFINED, UNUSED = 1, 3, 4, 5  # token types

LAYER_NAMES = {  # Hugging Face name inside a layer -> GGUF name inside a block
    "input_layernorm": "attn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "self_attn.q_norm": "attn_q_norm",
    "self_attn.k_norm": "attn_k_norm",
    "post_attention_layernorm": "ffn_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
    "mlp.gate": "ffn_gate_inp",
}
MODEL_NAMES = {"model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output"}


def to_gguf_tensors(state):
    """Rename a Hugging Face state dict (name -> numpy array); fused experts are split."""
    out = {}
    for name, x in state.items():
        base = name.removesuffix(".weight")
        if base in MODEL_NAMES:
            out[MODEL_NAMES[base] + ".weight"] = x
            continue
        _, _, layer, inner = base.split(".", 3)
        prefix = f"blk.{layer}."
        if inner == "mlp.experts.gate_up_proj":
            half = x.shape[1] // 2
            out[prefix + "ffn_gate_exps.weight"] = x[:, :half]
            out[prefix + "ffn_up_exps.weight"] = x[:, half:]
        elif inner == "mlp.experts.down_proj":
            out[prefix + "ffn_down_exps.weight"] = x
        elif inner.startswith("mlp.experts."):  # one tensor per expert: collect, then stack
            _, _, expert, matrix = inner.split(".")
            key = prefix + "ffn_" + matrix.removesuffix("_proj") + "_exps.weight"
            out.setdefault(key, {})[int(expert)] = x
        else:
            out[prefix + LAYER_NAMES[inner] + ".weight"] = x
    return {name: np.stack([x[i] for i in sorted(x)]) if isinstance(x, dict) else x for name, x in out.items()}


def from_gguf_tensors(tensors):
    """The inverse of to_gguf_tensors, with fused experts; takes name -> array."""
    model_names = {v: k for k, v in MODEL_NAMES.items()}
    layer_names = {v: k for k, v in LAYER_NAMES.items()}
    out = {}
    for name, x in tensors.items():
        base = name.removesuffix(".weight")
        if base in model_names:
            out[model_names[base] + ".weight"] = x
            continue
        _, layer, inner = base.split(".", 2)
        prefix = f"model.layers.{layer}."
        if inner == "ffn_gate_exps":
            up = tensors[f"blk.{layer}.ffn_up_exps.weight"]
            out[prefix + "mlp.experts.gate_up_proj"] = np.concatenate([x, up], axis=1)
        elif inner == "ffn_down_exps":
            out[prefix + "mlp.experts.down_proj"] = x
        elif inner != "ffn_up_exps":
            out[prefix + layer_names[inner] + ".weight"] = x
    return out


def size_label(count):
    """A parameter count in the short form of llama.cpp's converter, such as 5.8M."""
    for unit, letter in ((1e9, "B"), (1e6, "M"), (1e3, "K")):
        if count >= unit:
            return f"{count / unit:.1f}{letter}" if count < 10 * unit else f"{count / unit:.0f}{letter}"
    return str(count)


def model_metadata(config, name, file_type, parameters):
    """The general.* and architecture keys."""
    # transformers 5 stores num_experts under another name.
    experts = config.get("num_experts") or config.get("num_local_experts")
    moe = bool(experts)
    arch = "qwen3moe" if moe else "qwen3"
    rope = config.get("rope_parameters") or config
    keys = [
        ("general.architecture", STRING, arch),
        ("general.type", STRING, "model"),
        ("general.name", STRING, name),
        ("general.size_label", STRING, size_label(parameters)),
        (f"{arch}.block_count", U32, config["num_hidden_layers"]),
        (f"{arch}.context_length", U32, config["max_position_embeddings"]),
        (f"{arch}.embedding_length", U32, config["hidden_size"]),
        (f"{arch}.feed_forward_length", U32, config["intermediate_size"]),
        (f"{arch}.attention.head_count", U32, config["num_attention_heads"]),
        (f"{arch}.attention.head_count_kv", U32, config["num_key_value_heads"]),
        (f"{arch}.rope.freq_base", F32, float(rope["rope_theta"])),
        (f"{arch}.attention.layer_norm_rms_epsilon", F32, config["rms_norm_eps"]),
    ]
    if moe:
        keys += [
            (f"{arch}.expert_count", U32, experts),
            (f"{arch}.expert_used_count", U32, config["num_experts_per_tok"]),
        ]
    keys += [
        (f"{arch}.attention.key_length", U32, config["head_dim"]),
        (f"{arch}.attention.value_length", U32, config["head_dim"]),
        ("general.file_type", U32, file_type),
    ]
    if moe:
        keys.append((f"{arch}.expert_feed_forward_length", U32, config["moe_intermediate_size"]))
    keys.append(("general.quantization_version", U32, 2))
    return keys


def tokenizer_metadata(tokenizer, vocab_size, special, chat_template):
    """The tokenizer.* keys from the contents of tokenizer.json; `special` has ids for bos, eos and pad."""
    tokens = [f"[PAD{i}]" for i in range(vocab_size)]
    types = [UNUSED] * vocab_size
    for token, index in tokenizer["model"]["vocab"].items():
        tokens[index], types[index] = token, NORMAL
    for added in tokenizer["added_tokens"]:
        text, index = added["content"], added["id"]
        looks_special = text.startswith("<|") and text.endswith("|>")
        tokens[index], types[index] = (text, CONTROL if added["special"] or looks_special else USER_DEFINED)
    merges = [m if isinstance(m, str) else " ".join(m) for m in tokenizer["model"]["merges"]]
    keys = [
        ("tokenizer.ggml.model", STRING, "gpt2"),
        ("tokenizer.ggml.pre", STRING, "qwen2"),
        ("tokenizer.ggml.tokens", ARRAY, (STRING, tokens)),
        ("tokenizer.ggml.token_type", ARRAY, (I32, types)),
        ("tokenizer.ggml.merges", ARRAY, (STRING, merges)),
        ("tokenizer.ggml.eos_token_id", U32, special["eos"]),
        ("tokenizer.ggml.padding_token_id", U32, special["pad"]),
        ("tokenizer.ggml.bos_token_id", U32, special["bos"]),
        ("tokenizer.ggml.add_bos_token", BOOL, False),
    ]
    if chat_template:
        keys.append(("tokenizer.chat_template", STRING, chat_template))
    return keys


def stored_type(name, x, tensor_type):
    """Norms and the router stay in F32: they are small, and the result depends on them."""
    keep = x.ndim == 1 or name.endswith(("_norm.weight", "ffn_gate_inp.weight"))
    return TENSOR_F32 if keep else tensor_type


def export(path, config, state, tokenizer, chat_template, name, kind="f16"):
    """Write a model given as configuration, state dict of numpy arrays and tokenizer.json contents."""
    tensor_type, file_type = FILE_TYPES[kind]
    tensors = to_gguf_tensors(state)
    if config.get("tie_word_embeddings"):
        tensors.pop("output.weight", None)
    order = sorted(
        tensors,
        key=lambda n: (
            n.startswith("output"),
            not n.startswith("token_embd"),
            int(n.split(".")[1]) if n.startswith("blk.") else 0,
        ),
    )
    special = {k: config[k + "_token_id"] for k in ("bos", "eos", "pad")}
    metadata = model_metadata(config, name, file_type, sum(x.size for x in tensors.values()))
    metadata += tokenizer_metadata(tokenizer, config["vocab_size"], special, chat_template)
    write_gguf(path, metadata, [(n, stored_type(n, tensors[n], tensor_type), tensors[n]) for n in order])


def read_safetensors(path):
    """All tensors of a float32, float16 or bfloat16 safetensors file as float32 arrays."""
    data = Path(path).read_bytes()
    size = struct.unpack_from("<Q", data)[0]
    header = json.loads(data[8 : 8 + size])
    out = {}
    for name, info in header.items():
        if name == "__metadata__":
            continue
        begin, end = info["data_offsets"]
        raw = data[8 + size + begin : 8 + size + end]
        if info["dtype"] == "BF16":
            x = (np.frombuffer(raw, "<u2").astype(np.uint32) << 16).view(np.float32)
        else:
            x = np.frombuffer(raw, {"F32": "<f4", "F16": "<f2"}[info["dtype"]]).astype(np.float32)
        out[name] = x.reshape(info["shape"])
    return out


def export_folder(folder, path, name, kind):
    """Convert a Hugging Face folder."""

    def load(file):
        return json.loads((folder / file).read_text(encoding="utf-8"))

    template = folder / "chat_template.jinja"
    if template.exists():
        template = template.read_text(encoding="utf-8")
    else:
        template = load("tokenizer_config.json").get("chat_template")
    export(
        path,
        load("config.json"),
        read_safetensors(folder / "model.safetensors"),
        load("tokenizer.json"),
        template,
        name,
        kind,
    )
    print(f"{path}: {path.stat().st_size} bytes")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--type", choices=FILE_TYPES, default="f16")
    parser.add_argument("--name", default="tiny-tales")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    export_folder(args.folder, args.out, args.name, args.type)


if __name__ == "__main__":
    main()
