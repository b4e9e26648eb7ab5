#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random Qwen3-MoE models whose routers are extreme, their GGUF files and Hugging Face's logits; CPU only.

    python3 moe_references.py --out reference

Writes NAME.gguf, NAME.json and NAME.bin for each model, as reference_logits.py does for random_moe. With a trained model
it writes the logits and the log likelihood of a text instead:

    python3 moe_references.py --out reference --trained tiny-tales-moe/tiny-tales-moe-q8_0.gguf --text corpus/heldout.txt
"""

import argparse
from pathlib import Path

import torch
from transformers import Qwen3MoeConfig, Qwen3MoeForCausalLM

from export_gguf import export
from reference_logits import (
    Record,
    byte_tokenizer,
    load_model,
    log_likelihood,
    logits_of,
    random_std,
    tokenizer_from_gguf,
)

# Dimension 0 of every token's vector is this large, so that a router's weight for it acts as a bias.
BIAS_INPUT = 4.0

BASE = dict(
    vocab_size=288,
    hidden_size=64,
    intermediate_size=128,
    moe_intermediate_size=32,
    num_hidden_layers=2,
    num_attention_heads=2,
    num_key_value_heads=1,
    head_dim=32,
    num_experts=8,
    num_experts_per_tok=2,
    norm_topk_prob=True,
    decoder_sparse_step=1,
    max_position_embeddings=512,
    rms_norm_eps=1e-6,
    tie_word_embeddings=False,
    rope_parameters={"rope_type": "default", "rope_theta": 1000000.0},
)

# `favoured`: the experts that the bias chooses; `chosen`: those that the prompts must use, if all are known.
MODELS = [
    dict(name="random_moe_128", seed=1, config=dict(num_experts=128, num_experts_per_tok=8, num_hidden_layers=1)),
    dict(name="random_moe_unused", seed=2, config={}, favoured=[0, 1, 4, 7], chosen=[0, 1, 4, 7]),
    dict(name="random_moe_same", seed=3, config={}, favoured=[2, 5], chosen=[2, 5]),
    dict(name="random_moe_one", seed=4, config=dict(num_experts_per_tok=1)),
]
PROMPT_LENGTHS = (1, 5, 40)


def fill(model, spec):
    """Random weights; the router prefers the favoured experts whatever the token."""
    random = torch.Generator().manual_seed(spec["seed"])
    with torch.no_grad():
        for name, p in model.named_parameters():
            if p.ndim == 1:
                p.uniform_(0.5, 1.5, generator=random)
            else:
                p.normal_(0, random_std(name, p.shape[-1]), generator=random)
        if "favoured" not in spec:
            return random
        model.model.embed_tokens.weight[:, 0] = BIAS_INPUT
        for layer in model.model.layers:
            layer.mlp.gate.weight[:, 0] = -8.0
            layer.mlp.gate.weight[spec["favoured"], 0] = 8.0
            # Nothing changes the input of the bias on the way.
            layer.self_attn.o_proj.weight[0] = 0
            layer.mlp.experts.down_proj[:, 0] = 0
    return random


def watch_routers(model, used, margins):
    """Collects the experts that are used, and the smallest lead of the last one over the next."""
    top = model.config.num_experts_per_tok

    def look(module, args, result):
        scores = args[0].reshape(-1, args[0].shape[-1]) @ module.weight.T
        probabilities, order = scores.softmax(-1).sort(-1, descending=True)
        used.update(order[:, :top].flatten().tolist())
        margins.append((probabilities[:, top - 1] - probabilities[:, top]).min().item())

    for name, module in model.named_modules():
        if name.endswith("mlp.gate"):
            module.register_forward_hook(look)


def random_model(spec, folder):
    vocab = BASE["vocab_size"]
    config = BASE | spec["config"] | dict(bos_token_id=vocab - 3, eos_token_id=vocab - 1, pad_token_id=vocab - 3)
    model = Qwen3MoeForCausalLM(Qwen3MoeConfig(**config)).float()
    random = fill(model, spec)
    state = {k: v.detach().numpy() for k, v in model.state_dict().items()}
    path = folder / f"{spec['name']}.gguf"
    export(path, config, state, byte_tokenizer(vocab), None, spec["name"], "f32")
    model, _ = load_model(path)
    used, margins = set(), []
    watch_routers(model, used, margins)
    record = Record(folder, spec["name"])
    record.data |= {"model": path.name, "config": config, "prompts": []}
    for i, length in enumerate(PROMPT_LENGTHS):
        ids = torch.randint(0, 256, (length,), generator=random).tolist()
        record.add(f"all_logits/{i}", logits_of(model, ids))
        record.data["prompts"].append({"ids": ids})
    assert used == set(spec.get("chosen", used)), (spec["name"], used)
    record.data |= {"smallest_router_margin": min(margins), "experts_used": sorted(used)}
    record.save()
    print(spec["name"], path.stat().st_size, "bytes, router margin", f"{min(margins):.2e}, {len(used)} experts used")


def trained_model(path, text_path, folder):
    model, meta = load_model(path)
    tokenizer = tokenizer_from_gguf(meta)
    ids = tokenizer.encode(text_path.read_text(encoding="utf-8")[:20000], add_special_tokens=False).ids[:2000]
    used, margins = set(), []
    watch_routers(model, used, margins)
    record = Record(folder, path.stem.replace("-", "_"))
    record.data |= {"model": path.name, "prompts": []}
    for i, count in enumerate((7, 60)):
        record.add(f"all_logits/{i}", logits_of(model, ids[:count]))
        record.data["prompts"].append({"ids": ids[:count]})
    record.data["log_likelihood"] = log_likelihood(model, ids, 512) | {"text": text_path.name, "ids": ids}
    record.data |= {"smallest_router_margin": min(margins), "experts_used": sorted(used)}
    record.save()
    print(record.name, record.data["log_likelihood"]["perplexity"], f"router margin {min(margins):.2e}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--trained", type=Path, help="a trained model's file")
    parser.add_argument("--text", type=Path, help="its held-out text")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    if args.trained:
        trained_model(args.trained, args.text, args.out)
        return
    for spec in MODELS:
        random_model(spec, args.out)


if __name__ == "__main__":
    main()
