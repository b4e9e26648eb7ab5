#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Train tiny-tales, a Qwen3 model with six million parameters, on the output of make_corpus.py.

Steps: train a byte-level BPE tokenizer with Qwen's split rule, encode the corpus, train for a fixed time on one GPU,
load the result into transformers' Qwen3ForCausalLM (and check that it computes the same logits), write a Hugging Face
folder and two GGUF files, and print samples.

    python3 train.py --corpus corpus --chat-template tiny-tales-f16.gguf --out tiny-tales --seconds 375
"""

import argparse
import json
import math
import random
import re
import time
from pathlib import Path

import numpy as np
import torch
from tokenizers import AddedToken, pre_tokenizers, trainers
from torch import nn
from transformers import Qwen3Config, Qwen3ForCausalLM, Qwen3MoeConfig, Qwen3MoeForCausalLM

from chatml import NO_LOSS
from chats import Chats
from export_gguf import export_folder
from gguf_file import read_gguf
from make_corpus import END
from qwen3_model import CONFIG, EXPERTS, Qwen3
from qwen_tokenizer import MARKUP, SPECIAL, make_tokenizer
from tales import Grammar


def train_tokenizer(text):
    """Byte-level BPE on the text; the special tokens get the last ids."""
    tokenizer = make_tokenizer(vocab={}, merges=[], added_tokens=[])
    markers = re.compile("|".join(re.escape(t) for t in SPECIAL + MARKUP + [NO_LOSS]))
    pieces = (piece for piece in markers.split(text) if piece)
    trainer = trainers.BpeTrainer(
        vocab_size=CONFIG["vocab_size"] - len(SPECIAL) - len(MARKUP),
        show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )
    tokenizer.train_from_iterator(pieces, trainer)
    tokenizer.add_special_tokens([AddedToken(t, normalized=False, special=True) for t in SPECIAL])
    tokenizer.add_tokens([AddedToken(t, normalized=False, special=False) for t in MARKUP])
    assert tokenizer.get_vocab_size() == CONFIG["vocab_size"], tokenizer.get_vocab_size()
    return tokenizer


def encode(tokenizer, text):
    """Token ids of all documents in one row, the starts of the documents, and which tokens carry no loss."""
    documents = text.split(END)
    documents.pop()
    segments, counts = [], []
    for document in documents:
        parts = (document + END).split(NO_LOSS)
        segments.extend(parts)
        counts.append(len(parts))
    pieces = []
    for i in range(0, len(segments), 20000):
        encoded = tokenizer.encode_batch_fast(segments[i : i + 20000], add_special_tokens=False)
        pieces.extend(np.array(e.ids, np.int32) for e in encoded)
    lengths = np.array([len(p) for p in pieces])
    begins = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    first = np.concatenate([[0], np.cumsum(counts)[:-1]])  # first segment of every document
    silent = np.zeros(int(lengths.sum()), bool)
    later = np.ones(len(segments), bool)
    later[first] = False
    silent[begins[later]] = True
    return np.concatenate(pieces), begins[first], silent


class Rows:
    """Rows of tokens that begin where a document begins."""

    def __init__(self, encoded, context, device):
        ids, starts, silent = encoded
        self.ids = torch.tensor(ids, dtype=torch.int32, device=device)
        self.silent = torch.tensor(silent, device=device)
        self.starts = torch.tensor(starts[starts < len(ids) - context - 1], device=device)
        self.offsets = torch.arange(context + 1, device=device)
        self.order, self.used = None, 0

    def batch(self, starts):
        index = starts[:, None] + self.offsets
        tokens = self.ids[index].long()
        labels = tokens[:, 1:].masked_fill(self.silent[index[:, 1:]], -100)
        return tokens[:, :-1].contiguous(), labels.contiguous()

    def next(self, count):
        """A random batch; every document start is used once before any is used again."""
        if self.order is None or self.used + count > len(self.order):
            self.order, self.used = torch.randperm(len(self.starts), device=self.starts.device), 0
        self.used += count
        return self.batch(self.starts[self.order[self.used - count : self.used]])


@torch.no_grad()
def evaluate(model, rows, limit=512, batch=64):
    """Mean loss on rows that start at evenly spaced documents."""
    starts = rows.starts[:: max(1, len(rows.starts) // limit)][:limit]
    losses = []
    with torch.autocast("cuda", dtype=torch.bfloat16):
        for i in range(0, len(starts), batch):
            losses.append(model(*rows.batch(starts[i : i + batch])))
    return torch.stack(losses).mean().item()


def compile_model(model, batch):
    """The compiled model, or the plain one where compilation does not work."""
    compiled = torch.compile(model)
    try:
        with torch.autocast("cuda", dtype=torch.bfloat16):
            compiled(*batch).backward()
    except Exception as error:
        print(f"not compiled: {error!r}"[:500], flush=True)
        compiled = model
    model.zero_grad(set_to_none=True)
    return compiled


def train(model, train_rows, held_rows, args, deadline):
    """AdamW with warm-up and cosine decay; the number of steps follows from the time that is left."""
    compiled = compile_model(model, train_rows.next(args.batch)) if args.compile else model
    matrices = [p for p in model.parameters() if p.ndim >= 2]
    vectors = [p for p in model.parameters() if p.ndim < 2]
    optimizer = torch.optim.AdamW(
        [{"params": matrices, "weight_decay": 0.1}, {"params": vectors, "weight_decay": 0.0}],
        lr=args.lr,
        betas=(0.9, 0.95),
        fused=True,
    )
    probe, warmup, total, step, history = 40, 100, 10**9, 0, []
    while step < total and time.time() < deadline:
        if step == probe // 2:
            torch.cuda.synchronize()
            probe_start = time.time()
        if step == probe:
            torch.cuda.synchronize()
            seconds = (time.time() - probe_start) / (probe - probe // 2)
            total = step + max(1, int((deadline - time.time()) * 0.97 / seconds))
            rate = args.batch * args.context / seconds
            print(f"{seconds * 1e3:.1f} ms per step, {rate / 1e6:.2f} M tokens/s, {total} steps", flush=True)
        done = step / total
        lr = args.lr * min(1, (step + 1) / warmup) * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * done)))
        for group in optimizer.param_groups:
            group["lr"] = lr
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = compiled(*train_rows.next(args.batch))
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        step += 1
        if step % 250 == 0 or step == total:
            held = evaluate(model, held_rows)
            history.append({"step": step, "train": round(loss.item(), 4), "held_out": round(held, 4)})
            print(f"step {step}: train {loss.item():.4f}, held out {held:.4f}, lr {lr:.2e}", flush=True)
        if step % 2000 == 0:
            torch.save(model.state_dict(), args.out / "checkpoint.pt")
    return {"steps": step, "tokens": step * args.batch * args.context, "history": history}


def to_transformers(model, tokenizer):
    """The trained weights in transformers' own class, checked against ours."""
    special = {
        name: tokenizer.token_to_id(token)
        for name, token in (
            ("bos_token_id", "<|endoftext|>"),
            ("eos_token_id", "<|im_end|>"),
            ("pad_token_id", "<|endoftext|>"),
        )
    }
    if "num_experts" in CONFIG:
        config = Qwen3MoeConfig(**CONFIG, **special, experts_implementation="eager")
        reference = Qwen3MoeForCausalLM(config)
    else:
        reference = Qwen3ForCausalLM(Qwen3Config(**CONFIG, **special))
    state = {k: v.detach().float().cpu() for k, v in model.state_dict().items()}
    missing, unexpected = reference.load_state_dict(state, strict=False)
    assert not unexpected and set(missing) <= {"lm_head.weight"}, (missing, unexpected)
    reference.tie_weights()
    reference = reference.float().eval()
    ours = Qwen3()
    ours.load_state_dict(state)
    ids = torch.randint(0, CONFIG["vocab_size"], (2, 200))
    with torch.no_grad():
        difference = (reference(ids).logits - ours(ids)).abs().max().item()
    print(f"largest logit difference from transformers: {difference:.2e}", flush=True)
    assert difference < 5e-3
    return reference


def load_template(path):
    """The chat template in a GGUF file, a tokenizer_config.json or a plain text file."""
    if path.suffix == ".gguf":
        return read_gguf(path)[0]["tokenizer.chat_template"]
    text = path.read_text(encoding="utf-8")
    return json.loads(text)["chat_template"] if path.suffix == ".json" else text


def save(reference, args):
    """Write the Hugging Face folder and the GGUF files."""
    reference.save_pretrained(args.out)
    (args.out / "chat_template.jinja").write_text(load_template(args.chat_template), encoding="utf-8")
    name = "tiny-tales-moe" if args.experts else "tiny-tales"
    for kind in ("f16", "q8_0"):
        export_folder(args.out, args.out / f"{name}-{kind}.gguf", name, kind)


def chat(question, thinking=True):
    """A single question in Qwen3's chat format."""
    empty = "" if thinking else "<think>\n\n</think>\n\n"
    return f"<|im_start|>user\n{question}<|im_end|>\n<|im_start|>assistant\n{empty}"


PROMPTS = [
    "Once upon a time",
    "The little robot",
    chat("Tell me a story about a brave fox in the snow."),
    chat("Tell me a story about a dinosaur who lives in a library.", thinking=False),
    chat("What is 47 + 38?"),
    chat("What is the capital of Norway?", thinking=False),
    chat("Who are you?"),
    chat("What is the population of Peru?", thinking=False),
]


@torch.no_grad()
def complete(model, tokenizer, prompts, tokens, temperature=0.0):
    """Continue a batch of prompts."""
    pad, stop = tokenizer.token_to_id("<|endoftext|>"), tokenizer.token_to_id("<|im_end|>")
    rows = [tokenizer.encode(p, add_special_tokens=False).ids for p in prompts]
    width = max(map(len, rows))
    device = next(model.parameters()).device
    ids = torch.tensor([[pad] * (width - len(r)) + r for r in rows], device=device)
    mask = torch.tensor([[0] * (width - len(r)) + [1] * len(r) for r in rows], device=device)
    sampling = (
        dict(do_sample=True, temperature=temperature, top_k=0, top_p=1.0) if temperature else dict(do_sample=False)
    )
    out = model.generate(
        input_ids=ids,
        attention_mask=mask,
        max_new_tokens=tokens,
        pad_token_id=pad,
        eos_token_id=[stop, pad],
        **sampling,
    )
    texts = []
    for row in out[:, width:].tolist():
        end = min([row.index(t) for t in (stop, pad) if t in row], default=len(row))
        texts.append(tokenizer.decode(row[:end], skip_special_tokens=False))
    return texts


def last_word(text):
    """The last word behind the thought: the number that a sum ends with."""
    return re.findall(r"\w+", text.split("</think>")[-1].lower())[-1:]


def scores(model, tokenizer, count):
    """Share of right answers: sums that training never showed, and capitals."""
    rng = random.Random(7)
    chats = Chats(Grammar(), rng)
    result = {}
    for thinking in (True, False):
        turns = [chats.sum(held_out=True)[0] for _ in range(count)]
        answers = complete(model, tokenizer, [chat(q, thinking) for q, _, _ in turns], 90 if thinking else 24)
        right = sum(last_word(a) == last_word(t[2]) for a, t in zip(answers, turns))
        result["held-out sums, " + ("thinking" if thinking else "direct")] = right / count
    capitals = chats.facts["capital"]
    answers = complete(model, tokenizer, [chat(f"What is the capital of {k}?", False) for k, _ in capitals], 24)
    result["capitals"] = sum(v in a for a, (_, v) in zip(answers, capitals)) / len(capitals)
    return result


def main():
    start = time.time()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, default=Path("corpus"))
    parser.add_argument(
        "--chat-template",
        type=Path,
        required=True,
        help="a file with Qwen3's template: .gguf, tokenizer_config.json or .jinja",
    )
    parser.add_argument("--out", type=Path, default=Path("tiny-tales"))
    parser.add_argument("--seconds", type=float, default=500, help="wall-clock limit for everything")
    parser.add_argument("--reserve", type=float, default=60, help="seconds kept for samples and scores")
    parser.add_argument("--batch", type=int, default=256, help="rows per step")
    parser.add_argument("--context", type=int, default=1024)
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--no-compile", dest="compile", action="store_false")
    parser.add_argument("--experts", action="store_true", help="a mixture of experts instead of the dense model")
    parser.add_argument("--score-count", type=int, default=200)
    args = parser.parse_args()
    if args.experts:
        CONFIG.update(EXPERTS)
    args.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(1)

    text = (args.corpus / "train.txt").read_text(encoding="utf-8")
    tokenizer = train_tokenizer(text[:40_000_000])
    tokenizer.save(str(args.out / "tokenizer.json"))
    print(f"tokenizer trained after {time.time() - start:.0f} s", flush=True)
    held_text = (args.corpus / "heldout.txt").read_text(encoding="utf-8")
    train_rows = Rows(encode(tokenizer, text), args.context, "cuda")
    held_rows = Rows(encode(tokenizer, held_text), args.context, "cuda")
    print(
        f"{len(train_rows.ids) / 1e6:.1f} M training tokens, {len(held_rows.ids) / 1e6:.2f} M held out, "
        f"{len(text.encode()) / len(train_rows.ids):.2f} bytes per token, after {time.time() - start:.0f} s",
        flush=True,
    )

    model = Qwen3().cuda()
    parameters = sum(p.numel() for p in model.parameters())
    print(f"{parameters} parameters", flush=True)
    rehearsal = to_transformers(model, tokenizer)  # run the last steps once, so that they cannot fail after training
    save(rehearsal, args)
    complete(rehearsal.cuda(), tokenizer, PROMPTS, 4, 0.8)
    scores(rehearsal, tokenizer, 4)
    result = train(model, train_rows, held_rows, args, start + args.seconds - args.reserve)
    result["final_train_loss"] = evaluate(model, train_rows, 1024)
    result["final_held_out_loss"] = evaluate(model, held_rows, 1024)
    print(
        f"final loss: train {result['final_train_loss']:.4f}, held out {result['final_held_out_loss']:.4f}, "
        f"after {time.time() - start:.0f} s",
        flush=True,
    )

    reference = to_transformers(model, tokenizer)
    save(reference, args)
    result |= {
        "parameters": parameters,
        "training_tokens": len(train_rows.ids),
        "training_seconds": round(time.time() - start),
    }
    (args.out / "training.json").write_text(json.dumps(result, indent=1))

    reference = reference.cuda()
    for temperature in (0.0, 0.8):
        texts = complete(reference, tokenizer, PROMPTS, 330, temperature)
        for prompt, answer in zip(PROMPTS, texts):
            print(f"=== temperature {temperature}\n{prompt}>>>{answer}\n", flush=True)
    result["scores"] = scores(reference, tokenizer, args.score_count)
    print(result["scores"], f"after {time.time() - start:.0f} s", flush=True)
    (args.out / "training.json").write_text(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
