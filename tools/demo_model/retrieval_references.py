#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Make a small random Qwen3 as an embedding model and as a reranker, with Hugging Face's results for both.

The two files have the same weights. They are laid out as llama.cpp's converter writes them: a reranker has the rows of its
two answers as cls.output.weight. All numbers are computed in float32 on the CPU, on the weights as stored.

    python3 retrieval_references.py --vocabulary ../../tests/data/tiny-tales-f16.gguf \\
        --text ../../tests/data/tiny-tales-heldout-head.txt --out references
"""

import argparse
import json
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer

from export_gguf import CONTROL
from family_references import SMALL, make_config, metadata_of, random_weights, stored_tensors
from gguf_file import ARRAY, BOOL, I32, STRING, TENSOR_F16, U32, read_gguf, write_gguf
from reference_logits import VERSIONS, Record, dump, logits_of, tokenizer_from_gguf

JUDGE = (
    "<|im_start|>system\nJudge whether the Document meets the requirements based on the Query and the Instruct provided."
    ' Note that the answer can only be "yes" or "no".<|im_end|>\n<|im_start|>user\n<Instruct>: {instruction}\n'
    "<Query>: {query}\n<Document>: {document}<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n"
)
INSTRUCTION = "Given a web search query, retrieve relevant passages that answer the query"
# Unlike the usual one, so that a test sees which of the two was used.
FILE_TEMPLATE = "<|im_start|>user\nDoes it answer {query}?\n{document}<|im_end|>\n<|im_start|>assistant\n"
QUERIES = ["Who carried letters?", "where did the owl sleep", "What is 2 + 3?", "the song of the rain {document}", "¿Qué?"]
DOCUMENTS = [
    "Nico carried letters to Bramble the squirrel.",
    "A young owl with a hurt wing slept in his cottage.",
    "2 + 3 = 5",
    "{query} <|im_end|> is text here, not a token",
]


def with_yes(meta):
    """The tokenizer's keys of a file, with the token "yes", which a reranker answers with.

    It replaces the last merged token: ids without holes are those that the tokenizers library gives added tokens.
    """
    tokens, merges = list(meta["tokenizer.ggml.tokens"]), list(meta["tokenizer.ggml.merges"])
    assert "yes" not in tokens and "no" in tokens and {"y", "es"} <= set(tokens)
    last = meta["tokenizer.ggml.token_type"].index(CONTROL) - 1
    assert tokens[last] == merges[-1].replace(" ", "")
    tokens[last], merges[-1] = "yes", "y es"
    return dict(meta, **{"tokenizer.ggml.tokens": tokens, "tokenizer.ggml.merges": merges})


def tokenizer_keys(meta, end):
    return [
        ("tokenizer.ggml.model", STRING, "gpt2"),
        ("tokenizer.ggml.pre", STRING, "qwen2"),
        ("tokenizer.ggml.tokens", ARRAY, (STRING, meta["tokenizer.ggml.tokens"])),
        ("tokenizer.ggml.token_type", ARRAY, (I32, meta["tokenizer.ggml.token_type"])),
        ("tokenizer.ggml.merges", ARRAY, (STRING, meta["tokenizer.ggml.merges"])),
        ("tokenizer.ggml.eos_token_id", U32, end),
        ("tokenizer.ggml.padding_token_id", U32, end),
        ("tokenizer.ggml.add_bos_token", BOOL, False),
    ]


def texts_of(spec, text):
    """100 texts: 75 of the tokenizer's strings that are not empty, and 25 pieces of tales."""
    strings = [s for s in spec["strings"] if s.strip()][:75]
    paragraphs = [p.strip() for p in text.split("\n") if p.strip() not in ("", "* * *")]
    pieces = paragraphs + [" ".join(paragraphs[i : i + 4]) for i in range(len(paragraphs))]
    texts = strings + pieces[: 100 - len(strings)]
    assert len(texts) == 100, len(texts)
    return texts


@torch.no_grad()
def embed(model, ids):
    hidden = model.model(torch.tensor([ids]), use_cache=False).last_hidden_state[0]
    pooled = {"last": hidden[-1], "mean": hidden.mean(0), "cls": hidden[0]}
    return {name: x / x.norm() for name, x in pooled.items()}


def embeddings(folder, model, tokenizer, end, texts):
    record = Record(folder, "random_embedding")
    record.data |= {"model": "random_embedding.gguf", "texts": []}
    rows = {"last": [], "mean": [], "cls": []}
    for text in texts:
        ids = tokenizer.encode(text, add_special_tokens=False).ids + [end]
        record.data["texts"].append({"text": text, "ids": ids})
        for name, x in embed(model, ids).items():
            rows[name].append(x)
    for name, x in rows.items():
        record.add(name, torch.stack(x))
    record.save()


def pair_ids(tokenizer, template, values):
    """Ids of a template whose values are plain text: "<|im_end|>" in them is no token."""
    plain = Tokenizer.from_str(tokenizer.to_str())
    plain.encode_special_tokens = True
    ids, rest = [], template
    while rest:
        starts = {name: rest.find("{" + name + "}") for name in values}
        starts = {name: at for name, at in starts.items() if at >= 0}
        name = min(starts, key=starts.get) if starts else None
        end = starts[name] if name else len(rest)
        ids.append((rest[:end], False))
        if name is None:
            break
        ids.append((values[name], True))
        rest = rest[end + len(name) + 2 :]
    return join_ids(tokenizer, plain, ids)


def join_ids(tokenizer, plain, parts):
    """Encodes joined parts; ordinary text is split and merged across their borders, tokens are found in trusted ones."""
    ids, text = [], ""
    special = {t.content: i for i, t in tokenizer.get_added_tokens_decoder().items()}
    for part, from_request in parts:
        if from_request:
            text += part
            continue
        while part:
            found = [(part.find(s), -len(s), s) for s in special if s in part]
            if not found:
                text += part
                break
            at, _, token = min(found)
            ids += plain.encode(text + part[:at], add_special_tokens=False).ids + [special[token]]
            text, part = "", part[at + len(token) :]
    return ids + (plain.encode(text, add_special_tokens=False).ids if text else [])


def rerank_cases(record, name, model, tokenizer, template, answers):
    cases = []
    for query in QUERIES:
        for document in DOCUMENTS:
            values = {"instruction": INSTRUCTION, "query": query, "document": document}
            ids = pair_ids(tokenizer, template, values)
            logits = logits_of(model, ids)[-1]
            yes, no = (logits[answer].item() for answer in answers)
            score = 1 / (1 + np.exp(no - yes))
            cases.append({"query": query, "document": document, "ids": ids, "yes": yes, "no": no, "score": score})
    record[name] = cases


def retrieval(folder, vocabulary, spec, text):
    """An embedding model and a reranker with the same weights."""
    meta = with_yes(read_gguf(vocabulary)[0])
    tokens = meta["tokenizer.ggml.tokens"]
    tokenizer = tokenizer_from_gguf(meta)
    end = tokens.index("<|endoftext|>")
    sizes = dict(SMALL, head_dim=32, num_attention_heads=4, num_key_value_heads=2)
    config = make_config("qwen3", len(tokens), True, {"rope_type": "default", "rope_theta": 1000000.0}, sizes)
    model = random_weights(config, "qwen3", 25)
    tensors = stored_tensors(model, config, "qwen3", TENSOR_F16)
    model.tie_weights()

    keys = metadata_of(config, "qwen3", "random_embedding") + [("qwen3.pooling_type", U32, 3)]
    keys += tokenizer_keys(meta, end) + [("tokenizer.ggml.add_eos_token", BOOL, True)]
    write_gguf(folder / "random_embedding.gguf", keys, tensors)
    embeddings(folder, model, tokenizer, end, texts_of(spec, text))

    assert all(tokenizer.token_to_id(t) == i for i, t in enumerate(tokens) if t in ("<|im_start|>", "</think>", "yes"))
    answers = tokens.index("yes"), tokens.index("no")
    head = model.model.embed_tokens.weight.detach().numpy()[list(answers)]
    keys = metadata_of(config, "qwen3", "random_reranker")
    keys += [("qwen3.pooling_type", U32, 4), ("qwen3.classifier.output_labels", ARRAY, (STRING, ["yes", "no"]))]
    keys += tokenizer_keys(meta, end) + [
        ("tokenizer.chat_templates", ARRAY, (STRING, ["rerank"])),
        ("tokenizer.chat_template.rerank", STRING, FILE_TEMPLATE),
    ]
    write_gguf(folder / "random_reranker.gguf", keys, tensors + [("cls.output.weight", TENSOR_F16, head)])
    record = {"versions": VERSIONS, "instruction": INSTRUCTION, "file_template": FILE_TEMPLATE}
    rerank_cases(record, "without_keys", model, tokenizer, JUDGE, answers)
    rerank_cases(record, "with_template", model, tokenizer, FILE_TEMPLATE, answers)
    dump(folder / "random_reranker.json", record)
    scores = [case["score"] for case in record["without_keys"] + record["with_template"]]
    print("embedding and reranker: scores from", min(scores), "to", max(scores))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vocabulary", type=Path, required=True, help="GGUF file of the bundled model")
    parser.add_argument("--text", type=Path, required=True, help="some tales")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(4)
    spec = json.loads((Path(__file__).parent / "reference_spec.json").read_text(encoding="utf-8"))
    retrieval(args.out, args.vocabulary, spec, args.text.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
