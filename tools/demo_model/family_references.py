#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Make small random models of Qwen2 and Llama 3 with Hugging Face's logits, and ids of Llama 3's tokenizer.

The files are laid out as llama.cpp's converter writes them: Llama's q and k are permuted for rotations of adjacent pairs,
and its scaled frequencies are the tensor rope_freqs.weight. All numbers are computed in float32 on the CPU.

    python3 family_references.py --vocabulary ../../tests/data/tiny-tales-f16.gguf --out references
"""

import argparse
import json
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer
from transformers import LlamaConfig, LlamaForCausalLM, Qwen2Config, Qwen2ForCausalLM, Qwen3Config, Qwen3ForCausalLM

from export_gguf import CONTROL, NORMAL, tokenizer_metadata
from gguf_file import F32, STRING, TENSOR_F16, TENSOR_F32, U32, read_gguf, write_gguf
from reference_logits import VERSIONS, Record, byte_tokenizer, dump, logits_of, random_std, tokenizer_from_gguf

LLAMA_SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
    r"|\s+(?!\S)|\s+"
)
LLAMA3_ROPE = {
    "rope_type": "llama3",
    "rope_theta": 500000.0,
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 64,
}
SMALL = dict(hidden_size=64, intermediate_size=160, num_hidden_layers=2, num_attention_heads=2, num_key_value_heads=1)
WIDE = dict(hidden_size=128, intermediate_size=128, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2)
RANDOM_MODELS = [
    # name, architecture, seed, vocabulary, tied, rope, sizes
    ("random_qwen2_tied", "qwen2", 21, 300, True, {"rope_type": "default", "rope_theta": 1000000.0}, SMALL),
    ("random_qwen2_untied", "qwen2", 22, 288, False, {"rope_type": "default", "rope_theta": 10000.0}, WIDE),
    ("random_llama_tied", "llama", 23, 300, True, {"rope_type": "default", "rope_theta": 500000.0}, SMALL),
    ("random_llama_freqs", "llama", 24, 288, False, LLAMA3_ROPE, WIDE),
]
CLASSES = {
    "qwen2": (Qwen2Config, Qwen2ForCausalLM),
    "llama": (LlamaConfig, LlamaForCausalLM),
    "qwen3": (Qwen3Config, Qwen3ForCausalLM),
}
NAMES = {
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
}
OUTER_NAMES = {"model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output"}


def gguf_name(name):
    base, kind = name.rsplit(".", 1)
    if base in OUTER_NAMES:
        return f"{OUTER_NAMES[base]}.{kind}"
    _, _, layer, inner = base.split(".", 3)
    return f"blk.{layer}.{NAMES[inner]}.{kind}"


def permute(x, heads):
    """Rows of each head from (i, i + half) pairs to adjacent ones."""
    return x.reshape(heads, 2, -1, *x.shape[1:]).swapaxes(1, 2).reshape(x.shape)


def unpermute(x, heads):
    return x.reshape(heads, -1, 2, *x.shape[1:]).swapaxes(1, 2).reshape(x.shape)


def frequency_factors(rope, head_dim):
    """The factors by which llama3 scaling divides the frequencies."""
    frequencies = rope["rope_theta"] ** -(np.arange(0, head_dim, 2) / head_dim)
    turns = rope["original_max_position_embeddings"] * frequencies / (2 * np.pi)
    low, high, factor = rope["low_freq_factor"], rope["high_freq_factor"], rope["factor"]
    smooth = np.clip((turns - low) / (high - low), 0, 1)
    return (1 / ((1 - smooth) / factor + smooth)).astype(np.float32)


def make_config(arch, vocab, tied, rope, sizes):
    config_class, _ = CLASSES[arch]
    return config_class(
        vocab_size=vocab,
        max_position_embeddings=512,
        rms_norm_eps=1e-5,
        tie_word_embeddings=tied,
        rope_parameters=rope,
        attn_implementation="eager",
        **sizes,
    )


def random_weights(config, arch, seed):
    """A model with random weights and biases."""
    model = CLASSES[arch][1](config).float().eval()
    random = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, p in model.named_parameters():
            if name.endswith(".bias"):
                p.normal_(0, 0.5, generator=random)
            elif p.ndim == 1:
                p.uniform_(0.5, 1.5, generator=random)
            else:
                p.normal_(0, random_std(name, p.shape[-1]), generator=random)
    return model


def metadata_of(config, arch, name):
    keys = [("general.architecture", STRING, arch), ("general.type", STRING, "model"), ("general.name", STRING, name)]
    numbers = {
        "block_count": config.num_hidden_layers,
        "context_length": config.max_position_embeddings,
        "embedding_length": config.hidden_size,
        "feed_forward_length": config.intermediate_size,
        "attention.head_count": config.num_attention_heads,
        "attention.head_count_kv": config.num_key_value_heads,
    }
    head_dim = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    if arch == "qwen3":
        numbers |= {"attention.key_length": head_dim, "attention.value_length": head_dim}
    if arch == "llama":
        numbers |= {"vocab_size": config.vocab_size, "rope.dimension_count": head_dim}
    keys += [(f"{arch}.{key}", U32, value) for key, value in numbers.items()]
    keys.append((f"{arch}.rope.freq_base", F32, float(config.rope_parameters["rope_theta"])))
    keys.append((f"{arch}.attention.layer_norm_rms_epsilon", F32, config.rms_norm_eps))
    return keys


def stored_tensors(model, config, arch, matrix_type):
    """(name, type, array) for the file; the arrays are rounded to their type in the model as well."""
    tensors = []
    heads = {"attn_q": config.num_attention_heads, "attn_k": config.num_key_value_heads}
    for name, p in model.named_parameters():
        kind = matrix_type if p.ndim == 2 else TENSOR_F32
        if kind == TENSOR_F16:
            p.data = p.data.half().float()
        x, target = p.detach().numpy(), gguf_name(name)
        part = target.split(".")[-2]
        if arch == "llama" and part in heads:
            x = permute(x, heads[part])
            assert np.array_equal(unpermute(x, heads[part]), p.detach().numpy())
        tensors.append((target, kind, x))
    return tensors


def add_arrays(record, model, prompts):
    record.data["prompts"] = []
    for i, ids in enumerate(prompts):
        record.add(f"all_logits/{i}", logits_of(model, ids))
        record.data["prompts"].append({"ids": ids})


def random_model(folder, name, arch, seed, vocab, tied, rope, sizes):
    config = make_config(arch, vocab, tied, rope, sizes)
    model = random_weights(config, arch, seed)
    tensors = stored_tensors(model, config, arch, TENSOR_F32)
    head_dim = config.hidden_size // config.num_attention_heads
    if rope["rope_type"] == "llama3":
        factors = frequency_factors(rope, head_dim)
        frequencies = rope["rope_theta"] ** -(np.arange(0, head_dim, 2) / head_dim)
        found = model.model.rotary_emb.inv_freq.numpy()
        assert np.allclose(frequencies / factors, found, rtol=1e-5) and factors.max() > 1.5, (factors, found)
        tensors.insert(0, ("rope_freqs.weight", TENSOR_F32, factors))
    special = {"bos": vocab - 3, "eos": vocab - 1, "pad": vocab - 3}
    keys = metadata_of(config, arch, name) + tokenizer_metadata(byte_tokenizer(vocab), vocab, special, None)
    if arch == "llama":
        keys = [(k, t, "llama-bpe" if k == "tokenizer.ggml.pre" else v) for k, t, v in keys]
    path = folder / f"{name}.gguf"
    write_gguf(path, keys, tensors)
    record = Record(folder, name)
    record.data |= {"model": path.name, "rope": rope}
    random = np.random.default_rng(seed)
    add_arrays(record, model, [random.integers(0, vocab, size).tolist() for size in (1, 17, 90)])
    record.save()
    print(name, path.stat().st_size, "bytes, largest logit", max(float(np.abs(x).max()) for x in record.parts))


def llama_tokenizer_cases(folder, vocabulary, spec):
    """The strings with Llama 3's split, without NFC, and whole words taken from the vocabulary before any merge.

    The words, which no merge makes, replace the last merged tokens.
    """
    meta = read_gguf(vocabulary)[0]
    words = ["Ġunmergeable", "zebra's", "ĠÃ©", "123"]
    tokens, types = list(meta["tokenizer.ggml.tokens"]), meta["tokenizer.ggml.token_type"]
    assert not set(words) & set(tokens)
    end = types.index(CONTROL)
    tokens[end - len(words) : end] = words
    meta = dict(meta)
    meta["tokenizer.ggml.tokens"] = tokens
    meta["tokenizer.ggml.merges"] = meta["tokenizer.ggml.merges"][: -len(words)]
    vocab = {t: i for i, (t, kind) in enumerate(zip(tokens, types)) if kind == NORMAL}
    data = json.loads(tokenizer_from_gguf(meta).to_str())
    data["normalizer"] = None
    data["pre_tokenizer"]["pretokenizers"][0]["pattern"]["Regex"] = LLAMA_SPLIT
    data["model"] |= {"vocab": vocab, "ignore_merges": True}
    data["added_tokens"] = [t for t in data["added_tokens"] if t["special"]]
    tokenizer = Tokenizer.from_str(json.dumps(data))
    assert all(tokenizer.token_to_id(t) == i for i, (t, kind) in enumerate(zip(tokens, types)) if kind == CONTROL)
    strings = spec["strings"] + ["an unmergeable zebra's é", "1 12 123 1234 12345 1234567", "x123y٣٤٥٦", "İ's 'S ʼs"]
    cases = [{"text": s, "ids": tokenizer.encode(s, add_special_tokens=False).ids} for s in strings]
    dump(folder / "llama_tokenizer_cases.json", {"versions": VERSIONS, "words": words, "cases": cases})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vocabulary", type=Path, required=True, help="GGUF file of the bundled model")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(4)
    spec = json.loads((Path(__file__).parent / "reference_spec.json").read_text(encoding="utf-8"))
    for model in RANDOM_MODELS:
        random_model(args.out, *model)
    llama_tokenizer_cases(args.out, args.vocabulary, spec)


if __name__ == "__main__":
    main()
