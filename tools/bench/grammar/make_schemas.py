#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the schemas that grammar_bench measures, each with documents of it, as JSON lines.

    tools/bench/grammar/make_schemas.py > tools/bench/grammar/schemas.jsonl

Families: arguments of tools, records, nested configuration, enums, lists, patterns and formats,
tagged unions, recursive trees, large objects with optional properties.
"""
import json
import random

rng = random.Random(5)
NOUNS = ("order customer invoice product address user event message file task ticket flight hotel "
         "city country language currency payment account device sensor report team project comment "
         "article recipe ingredient vehicle route station book author patient doctor symptom").split()
FIELDS = ("id name title description status created_at updated_at email phone url quantity price "
          "total discount notes tags priority owner assignee due_date location latitude longitude "
          "unit temperature query limit offset sort_by include_deleted format lang timezone").split()
SENTENCES = ["The quick brown fox jumps over the lazy dog.", "Please ship it before Friday, thanks!",
             "Größe und Maße bitte prüfen.", "She said \"hello\" and left.", "Line one\nLine two",
             "Paris", "San Francisco, CA", "東京タワーへの行き方", "n/a", "C:\\temp\\file.txt",
             "An error occurred while processing the request; see the log for details.", "ok 👍"]


def sentence():
    return rng.choice(SENTENCES)


def leaf():
    kind = rng.randrange(14)
    if kind < 4:
        schema = {"type": "string", "description": sentence()}
        if rng.random() < 0.4:
            schema["maxLength"] = rng.choice([100, 255, 1000, 65536])
        if rng.random() < 0.2:
            schema["minLength"] = 1
        return schema, sentence
    if kind == 4:
        low, high = sorted(rng.sample([-100, -1, 0, 1, 10, 50, 100, 1000, 100000], 2))
        return ({"type": "integer", "minimum": low, "maximum": high},
                lambda: rng.randint(low, high))
    if kind == 5:
        return {"type": "integer"}, lambda: rng.randint(-10**6, 10**6)
    if kind == 6:
        return {"type": "number"}, lambda: round(rng.uniform(-1000, 1000), 3)
    if kind == 7:
        return {"type": "boolean"}, lambda: rng.random() < 0.5
    if kind in (8, 9):
        values = rng.sample(NOUNS, rng.randint(2, 8))
        return {"type": "string", "enum": values}, lambda: rng.choice(values)
    if kind == 10:
        name, values = rng.choice([
            ("date", ["2026-11-16", "1999-01-31"]), ("date-time", ["2026-11-16T18:50:28Z"]),
            ("email", ["ada.lovelace@example.com"]), ("uuid", ["123e4567-e89b-12d3-a456-426614174000"]),
            ("uri", ["https://example.com/a/b?c=d#e"]), ("ipv4", ["192.168.0.1"])])
        return {"type": "string", "format": name}, lambda: rng.choice(values)
    if kind == 11:
        pattern, values = rng.choice([
            ("^[A-Z]{3}-[0-9]{4}$", ["ABC-1234"]), ("^[a-z0-9-]{3,40}$", ["my-project-12"]),
            ("^\\+?[0-9]{6,15}$", ["+4930123456"]), ("^#[0-9a-fA-F]{6}$", ["#ff8800"]),
            ("^[A-Za-z_][A-Za-z0-9_]*$", ["get_weather"]), ("^\\d+(\\.\\d+){2}$", ["1.20.3"])])
        return {"type": "string", "pattern": pattern}, lambda: rng.choice(values)
    if kind == 12:
        return {"type": ["string", "null"]}, lambda: rng.choice([None, sentence()])
    schema, make = leaf()
    low = rng.choice([0, 1])
    return ({"type": "array", "items": schema, "minItems": low,
             "maxItems": rng.choice([5, 20, 10000])},
            lambda: [make() for _ in range(rng.randint(max(low, 1), 4))])


def record(fields, depth, required=0.6):
    parts = {}
    for field in fields:
        if depth and rng.random() < 0.25:
            parts[field] = record(rng.sample(FIELDS, rng.randint(2, 5)), depth - 1)
        elif depth and rng.random() < 0.1:
            item, make = record(rng.sample(FIELDS, rng.randint(2, 4)), depth - 1)
            parts[field] = ({"type": "array", "items": item},
                            lambda make=make: [make() for _ in range(rng.randint(1, 3))])
        else:
            parts[field] = leaf()
    needed = [f for f in fields if rng.random() < required]
    schema = {"type": "object", "properties": {f: p[0] for f, p in parts.items()}, "required": needed}
    if rng.random() < 0.7:
        schema["additionalProperties"] = False

    def make():
        return {f: parts[f][1]() for f in fields if f in needed or rng.random() < 0.6}

    return schema, make


def union():
    parts = []
    for kind in rng.sample(NOUNS, rng.randint(2, 4)):
        schema, make = record(rng.sample(FIELDS, rng.randint(2, 4)), 0)
        schema["properties"] = {"kind": {"const": kind}, **schema["properties"]}
        schema["required"] = ["kind"] + schema["required"]
        parts.append((schema, lambda kind=kind, make=make: {"kind": kind, **make()}))
    return ({rng.choice(["oneOf", "anyOf"]): [p[0] for p in parts]},
            lambda: rng.choice(parts)[1]())


def tree():
    schema, make = record(rng.sample(FIELDS, rng.randint(2, 4)), 0)
    schema["properties"]["children"] = {"type": "array", "items": {"$ref": "#/$defs/node"}}

    def grow(depth=2):
        out = make()
        if depth:
            out["children"] = [grow(depth - 1) for _ in range(rng.randint(0, 2))]
        return out

    return {"$ref": "#/$defs/node", "$defs": {"node": schema}}, grow


def main():
    families = [
        (90, lambda: record(rng.sample(FIELDS, rng.randint(1, 5)), 0)),       # arguments of a tool
        (60, lambda: record(rng.sample(FIELDS, rng.randint(3, 8)), 2)),       # nested records
        (15, lambda: record(rng.sample(FIELDS, 25), 1, required=0.2)),        # large, optional
        (20, union),
        (15, tree),
        (20, leaf),
    ]
    for count, family in families:
        for _ in range(count):
            schema, make = family()
            documents = []
            for _ in range(3):
                style = rng.choice([{}, {}, {"indent": 2}, {"separators": (",", ":")}])
                documents.append(json.dumps(make(), ensure_ascii=False, **style))
            print(json.dumps({"schema": schema, "documents": documents}, ensure_ascii=False,
                             separators=(",", ":")))


main()
