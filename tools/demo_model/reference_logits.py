#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Make reference data with Hugging Face transformers for testing another Qwen3 implementation.

A specification (JSON) lists prompts, random models, strings and conversations. All numbers are computed in float32 on
the CPU, on the weights as they are stored in the GGUF files. Parts whose input is not given are skipped.

    python3 reference_logits.py reference_spec.json --out reference --random-models --qwen-tokenizer Qwen3-0.6B \\
        --tiny-f16 tiny-tales-f16.gguf --tiny-q8_0 tiny-tales-q8_0.gguf --text tiny-tales-heldout.txt
"""

import argparse
import json
from pathlib import Path

import numpy as np
import tokenizers
import torch
import transformers
from tokenizers import Tokenizer
from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM, Qwen3MoeConfig, Qwen3MoeForCausalLM

from export_gguf import CONTROL, NORMAL, USER_DEFINED, export, from_gguf_tensors
from gguf_file import read_gguf
from qwen_tokenizer import SPECIAL, make_tokenizer

VERSIONS = {"torch": torch.__version__, "transformers": transformers.__version__, "tokenizers": tokenizers.__version__}


def dump(path, data):
    """Write a JSON object with one line per entry of its lists of objects."""
    lines = []
    for key, value in data.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            text = "[\n  " + ",\n  ".join(json.dumps(item, ensure_ascii=False) for item in value) + "\n ]"
        else:
            text = json.dumps(value, ensure_ascii=False)
        lines.append(f" {json.dumps(key)}: {text}")
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


class Record:
    """A JSON file with an index of float32 arrays that lie one after the other in a .bin file."""

    def __init__(self, folder, name):
        self.folder, self.name, self.parts, self.size = folder, name, [], 0
        self.data = {"versions": VERSIONS, "bin": f"{name}.bin", "arrays": {}}

    def add(self, key, array):
        x = np.ascontiguousarray(torch.as_tensor(array).numpy(), "<f4")
        self.data["arrays"][key] = {"offset": self.size, "shape": list(x.shape)}
        self.size += x.size
        self.parts.append(x)

    def save(self):
        (self.folder / f"{self.name}.bin").write_bytes(b"".join(x.tobytes() for x in self.parts))
        dump(self.folder / f"{self.name}.json", self.data)


def load_model(path, rope=None):
    """transformers' model with the stored weights of a GGUF file, and the file's metadata. `rope` replaces the file's."""
    meta, stored = read_gguf(path)
    arch = meta["general.architecture"]

    def get(key):
        return meta[f"{arch}.{key}"]

    config = dict(
        vocab_size=len(meta["tokenizer.ggml.tokens"]),
        hidden_size=get("embedding_length"),
        intermediate_size=get("feed_forward_length"),
        num_hidden_layers=get("block_count"),
        num_attention_heads=get("attention.head_count"),
        num_key_value_heads=get("attention.head_count_kv"),
        head_dim=get("attention.key_length"),
        max_position_embeddings=get("context_length"),
        rms_norm_eps=get("attention.layer_norm_rms_epsilon"),
        tie_word_embeddings="output.weight" not in stored,
        rope_parameters=rope or {"rope_type": "default", "rope_theta": get("rope.freq_base")},
        attn_implementation="eager",
    )
    if arch == "qwen3moe":
        config |= dict(
            num_experts=get("expert_count"),
            num_experts_per_tok=get("expert_used_count"),
            moe_intermediate_size=get("expert_feed_forward_length"),
            norm_topk_prob=True,
            experts_implementation="eager",
        )
        model = Qwen3MoeForCausalLM(Qwen3MoeConfig(**config))
    else:
        model = Qwen3ForCausalLM(Qwen3Config(**config))
    state = from_gguf_tensors({name: x for name, (_, x) in stored.items()})
    missing, unexpected = model.load_state_dict({k: torch.from_numpy(v) for k, v in state.items()}, strict=False)
    assert not unexpected and set(missing) <= {"lm_head.weight"}, (missing, unexpected)
    model.tie_weights()
    frequency = model.model.rotary_emb.inv_freq[1].item()
    assert rope or abs(frequency / get("rope.freq_base") ** (-2 / get("attention.key_length")) - 1) < 1e-5
    return model.float().eval(), meta


def tokenizer_from_gguf(meta):
    """The tokenizer that a GGUF file describes, as an object of the tokenizers library."""
    tokens, types = meta["tokenizer.ggml.tokens"], meta["tokenizer.ggml.token_type"]
    added = [
        {
            "id": i,
            "content": t,
            "single_word": False,
            "lstrip": False,
            "rstrip": False,
            "normalized": False,
            "special": kind == CONTROL,
        }
        for i, (t, kind) in enumerate(zip(tokens, types))
        if kind in (CONTROL, USER_DEFINED)
    ]
    vocab = {t: i for i, (t, kind) in enumerate(zip(tokens, types)) if kind == NORMAL}
    return make_tokenizer(vocab, [m.split(" ") for m in meta["tokenizer.ggml.merges"]], added)


@torch.no_grad()
def logits_of(model, ids):
    return model(torch.tensor([ids]), use_cache=False).logits[0]


def greedy(model, ids, count):
    """Greedy continuation without a cache; end tokens do not stop it. Also the smallest lead of a winner."""
    ids, start, margin = list(ids), len(ids), float("inf")
    for _ in range(count):
        top = logits_of(model, ids)[-1].topk(2)
        margin = min(margin, (top.values[0] - top.values[1]).item())
        ids.append(top.indices[0].item())
    return ids[start:], margin


def log_likelihood(model, ids, window):
    """Sum of ln p(token | earlier tokens of its window) for every window; first tokens are not scored."""
    sums = []
    for begin in range(0, len(ids), window):
        part = torch.tensor(ids[begin : begin + window])
        logs = logits_of(model, part.tolist())[:-1].double().log_softmax(-1)
        sums.append(logs.gather(1, part[1:, None]).sum().item())
    scored = len(ids) - len(sums)
    return {
        "tokens": len(ids),
        "window": window,
        "window_sums": sums,
        "total": sum(sums),
        "scored_tokens": scored,
        "perplexity": float(np.exp(-sum(sums) / scored)),
    }


def hidden_states(model, ids):
    """The embeddings, the output of every layer and the normed output, by forward hooks."""
    out = {}
    modules = {"embedding": model.model.embed_tokens, "final_norm": model.model.norm}
    modules |= {f"layer_{i}": layer for i, layer in enumerate(model.model.layers)}

    def keep(name):
        def hook(module, args, result):
            out[name] = (result[0] if isinstance(result, tuple) else result).detach()

        return hook

    hooks = [module.register_forward_hook(keep(name)) for name, module in modules.items()]
    logits_of(model, ids)
    for hook in hooks:
        hook.remove()
    return {name: x.reshape(len(ids), -1) for name, x in out.items()}


def tiny_tales(spec, path, text_path, folder, quantized):
    """Logits, continuations, likelihood and hidden states of the trained model."""
    model, meta = load_model(path)
    tokenizer = tokenizer_from_gguf(meta)
    record = Record(folder, "tiny_tales_q8_0" if quantized else "tiny_tales_f16")
    record.data["model"] = path.name
    record.data["prompts"] = []
    for i, prompt in enumerate(spec["prompts"]):
        ids = tokenizer.encode(prompt["text"], add_special_tokens=False).ids
        logits = logits_of(model, ids)
        entry = {"name": prompt["name"], "text": prompt["text"], "ids": ids}
        record.add(f"last_logits/{i}", logits[-1])
        if not quantized:
            entry["greedy_ids"], entry["greedy_smallest_margin"] = greedy(model, ids, spec["greedy_tokens"])
            entry["greedy_text"] = tokenizer.decode(entry["greedy_ids"], skip_special_tokens=False)
            if prompt.get("all_positions"):
                record.add(f"all_logits/{i}", logits)
            if prompt.get("hidden"):
                for name, x in hidden_states(model, ids).items():
                    record.add(f"hidden/{i}/{name}", x)
        record.data["prompts"].append(entry)
    ids = tokenizer.encode(text_path.read_text(encoding="utf-8"), add_special_tokens=False).ids[
        spec.get("likelihood_start", 0) :
    ]
    ids = ids[: spec["likelihood_tokens"]]
    record.data["log_likelihood"] = log_likelihood(model, ids, spec["window"]) | {"text": text_path.name, "ids": ids}
    record.save()
    print(
        record.name,
        {p["name"]: len(p["ids"]) for p in record.data["prompts"]},
        record.data["log_likelihood"]["perplexity"],
    )
    return tokenizer


def byte_tokenizer(vocab_size):
    """A tokenizer.json with the 256 byte tokens, three special tokens at the end and nothing in between."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    other = [b for b in range(256) if b not in printable]
    letters = [chr(b) for b in printable] + [chr(256 + i) for i in range(len(other))]
    return {
        "model": {"vocab": {c: i for i, c in enumerate(letters)}, "merges": []},
        "added_tokens": [{"content": t, "id": vocab_size - 3 + i, "special": True} for i, t in enumerate(SPECIAL)],
    }


def random_std(name, columns):
    """Spreads that keep activations near 1, and router choices clear."""
    if "embed" in name:
        return 0.5
    return (2.0 if name.endswith("mlp.gate.weight") else 1.0) * columns**-0.5


def random_model(spec, folder):
    """A small model with random weights: its GGUF file and its logits."""
    vocab = spec["config"]["vocab_size"]
    config = dict(spec["config"], bos_token_id=vocab - 3, eos_token_id=vocab - 1, pad_token_id=vocab - 3)
    moe = "num_experts" in config
    model = (Qwen3MoeForCausalLM(Qwen3MoeConfig(**config)) if moe else Qwen3ForCausalLM(Qwen3Config(**config))).float()
    random = torch.Generator().manual_seed(spec["seed"])
    with torch.no_grad():
        for name, p in model.named_parameters():
            if p.ndim == 1:
                p.uniform_(0.5, 1.5, generator=random)
            else:
                p.normal_(0, random_std(name, p.shape[-1]), generator=random)
    state = {k: v.detach().numpy() for k, v in model.state_dict().items()}
    path = folder / f"{spec['name']}.gguf"
    export(path, config, state, byte_tokenizer(vocab), None, spec["name"], "f32")
    model, _ = load_model(path)
    record = Record(folder, spec["name"])
    record.data |= {"model": path.name, "config": config, "prompts": []}
    margins = []

    def router_margin(module, args, result):
        probabilities = (
            (result[0] if isinstance(result, tuple) else result).softmax(-1).sort(-1, descending=True).values
        )
        top = config["num_experts_per_tok"]
        margins.append((probabilities[..., top - 1] - probabilities[..., top]).min().item())

    for name, module in model.named_modules():
        if moe and name.endswith("mlp.gate"):
            module.register_forward_hook(router_margin)
    for i, ids in enumerate(spec["prompts"]):
        record.add(f"all_logits/{i}", logits_of(model, ids))
        record.data["prompts"].append({"ids": ids})
    if moe:
        record.data["smallest_router_margin"] = min(margins)
    record.save()
    print(record.name, path.stat().st_size, "bytes", f"router margin {min(margins):.2e}" if moe else "")


def rope_scaling(spec, folder):
    """Logits of one of the random models with scaled rotary positions."""
    path = folder / f"{spec['model']}.gguf"
    record = Record(folder, "rope_scaling")
    record.data |= {"model": path.name, "cases": []}
    for case in spec["cases"]:
        model, _ = load_model(path, case["rope_parameters"])
        record.add(f"all_logits/{case['name']}", logits_of(model, spec["ids"]))
        record.data["cases"].append(dict(case, ids=spec["ids"]))
    record.save()
    print(record.name, [case["name"] for case in spec["cases"]])


def save_cases(path, cases, **extra):
    dump(path, {"versions": VERSIONS, **extra, "cases": cases})
    print(path.name, len(cases), "cases")


def tokenizer_cases(tokenizer, strings):
    return [{"text": text, "ids": tokenizer.encode(text, add_special_tokens=False).ids} for text in strings]


def chat_cases(folder, conversations):
    """Conversations rendered by transformers with Qwen3's chat template."""
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=Tokenizer.from_file(str(folder / "tokenizer.json")))
    tokenizer.chat_template = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8"))[
        "chat_template"
    ]
    cases = []
    for case in conversations:
        text = tokenizer.apply_chat_template(
            case["messages"], tools=case.get("tools"), tokenize=False, **case["options"]
        )
        cases.append(dict(case, rendered=text))
    return cases


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("spec", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--random-models", action="store_true")
    parser.add_argument(
        "--qwen-tokenizer", type=Path, help="folder with Qwen3's tokenizer.json and tokenizer_config.json"
    )
    parser.add_argument("--tiny-f16", type=Path)
    parser.add_argument("--tiny-q8_0", type=Path)
    parser.add_argument("--text", type=Path, help="held-out text for the likelihood")
    parser.add_argument("--threads", type=int, default=4)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    args.out.mkdir(parents=True, exist_ok=True)
    spec = json.loads(args.spec.read_text(encoding="utf-8"))
    if args.qwen_tokenizer:
        tokenizer = Tokenizer.from_file(str(args.qwen_tokenizer / "tokenizer.json"))
        save_cases(args.out / "qwen3_tokenizer_cases.json", tokenizer_cases(tokenizer, spec["strings"]))
        save_cases(args.out / "qwen3_chat_cases.json", chat_cases(args.qwen_tokenizer, spec["conversations"]))
    if args.random_models:
        for model in spec["random_models"]:
            random_model(model, args.out)
        rope_scaling(spec["rope_scaling"], args.out)
    if args.tiny_f16:
        tokenizer = tiny_tales(spec["tiny_tales"], args.tiny_f16, args.text, args.out, quantized=False)
        save_cases(
            args.out / "tiny_tales_tokenizer_cases.json",
            tokenizer_cases(tokenizer, spec["strings"]),
            model=args.tiny_f16.name,
        )
    if args.tiny_q8_0:
        tiny_tales(spec["tiny_tales"], args.tiny_q8_0, args.text, args.out, quantized=True)


if __name__ == "__main__":
    main()
