#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write the training corpus of tiny-tales: tales, chats and a little prose.

Documents end with <|endoftext|>. The output depends only on --seed, --megabytes and --shards. One document in twenty
goes to the held-out file instead of the training file, and no document appears twice.

    python3 make_corpus.py --out corpus
"""

import argparse
import hashlib
import random
from multiprocessing import Pool
from pathlib import Path

from chats import Chats
from tales import Grammar, Tale

END = "<|endoftext|>"
SEPARATOR = "\n\n* * *\n\n"  # between the tales of a collection
HELD_OUT = 0.05


def make_document(grammar, chats, rng):
    """One document of a random type."""
    pick = rng.random()
    if pick < 0.40:
        tale = Tale(grammar, rng)
        return f"{tale.title()}\n\n{tale.text}" if rng.random() < 0.1 else tale.text
    if pick < 0.43:
        return SEPARATOR.join(Tale(grammar, rng).text for _ in range(rng.randint(2, 4)))
    if pick < 0.46:
        return chats.prose()
    return chats.document()


def make_shard(job):
    """Write about `size` bytes of documents; returns (training, held-out) lists."""
    seed, index, size = job
    rng = random.Random(f"{seed}/{index}")
    grammar = Grammar()
    chats = Chats(grammar, rng)
    train, held, seen, written = [], [], set(), 0
    while written < size:
        text = make_document(grammar, chats, rng)
        digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
        if digest in seen:
            continue
        seen.add(digest)
        written += len(text)
        (held if rng.random() < HELD_OUT else train).append((digest, text))
    return train, held


def held_out_sample(seed, size):
    """Tales that are in neither file, joined as one long collection without special tokens."""
    rng = random.Random(f"{seed}/sample")
    grammar, tales, length = Grammar(), [], 0
    while length < size:
        tales.append(Tale(grammar, rng).text)
        length += len(tales[-1].encode()) + len(SEPARATOR)
    return SEPARATOR.join(tales) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("corpus"), help="output folder")
    parser.add_argument("--megabytes", type=float, default=400)
    parser.add_argument("--seed", type=int, default=2025)
    parser.add_argument("--shards", type=int, default=64, help="part of the recipe: other values give other text")
    parser.add_argument("--processes", type=int, default=None, help="does not change the text")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    size = int(args.megabytes * 1e6 / args.shards)
    jobs = [(args.seed, i, size) for i in range(args.shards)]
    seen, counts = set(), {"train": 0, "held": 0}
    with Pool(args.processes) as pool, open(args.out / "train.txt", "w", encoding="utf-8") as train, open(
        args.out / "heldout.txt", "w", encoding="utf-8"
    ) as held:
        for shard in pool.imap(make_shard, jobs):
            for name, file, documents in (("train", train, shard[0]), ("held", held, shard[1])):
                for digest, text in documents:
                    if digest not in seen:
                        seen.add(digest)
                        file.write(text + END)
                        counts[name] += 1
    sample = held_out_sample(args.seed, 200_000)
    (args.out / "tiny-tales-heldout.txt").write_text(sample, encoding="utf-8")
    for name in ("train.txt", "heldout.txt", "tiny-tales-heldout.txt"):
        print(f"{name}: {(args.out / name).stat().st_size / 1e6:.2f} MB")
    print(f"documents: {counts['train']} for training, {counts['held']} held out")


if __name__ == "__main__":
    main()
