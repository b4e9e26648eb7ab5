#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/data/grammar/schema_cases.json: schemas of draft 2020-12 with documents that
python3-jsonschema judged.

    tests/frontends/grammar/make_schema_cases.py > tests/data/grammar/schema_cases.json

Schemas are random combinations of the supported keywords. Valid documents are made from the
schema, with keys in its order; invalid ones are valid ones with a change. The judge is the
package's Draft202012Validator alone: what it says decides, whatever the change was meant to do.
"""
import copy
import json
import random
import string

import jsonschema

CASES = 340
rng = random.Random(17)
UNSET = object()

WORDS = ["name", "age", "email", "city", "tags", "id", "kind", "value", "größe", "a b", "x/y", "名前",
         "quote\"d", "back\\slash", "address", "line1", "zip", "status", "count", "n"]
TEXT = string.ascii_letters + string.digits + " _-.,:;!?\"\\/\n\täöüß€名前😀𝄞"


def text(low, high):
    return "".join(rng.choice(TEXT) for _ in range(rng.randint(low, high)))


class Gen:
    """A schema and a function that makes a value of it."""

    def __init__(self, schema, make):
        self.schema, self.make = schema, make


def null():
    return Gen({"type": "null"}, lambda: None)


def boolean():
    return Gen({"type": "boolean"}, lambda: rng.random() < 0.5)


def integer():
    schema = {"type": "integer"}
    low, high = -10**9, 10**9
    if rng.random() < 0.6:
        low = rng.choice([-1000, -17, -1, 0, 1, 5, 99, 100, 123456])
        schema["minimum"] = low
        if rng.random() < 0.3:
            del schema["minimum"]
            schema["exclusiveMinimum"] = low
            low += 1
    if rng.random() < 0.6:
        high = max(low, low + rng.choice([0, 1, 7, 10, 95, 1000, 10**6]))
        schema["maximum"] = high
        if rng.random() < 0.3:
            del schema["maximum"]
            schema["exclusiveMaximum"] = high + 1
    step = 1
    if rng.random() < 0.25:
        step = rng.choice([2, 3, 5, 7, 10, 25])
        first = -(-low // step) * step
        if first > high:
            step = 1
        else:
            schema["multipleOf"] = step
    return Gen(schema, lambda: rng.randint(-(-low // step), high // step) * step)


def number():
    schema = {"type": "number"}
    low, high = -10000, 10000
    if rng.random() < 0.6:
        low = rng.choice([-2.5, -1, -0.125, 0, 0.5, 3.14, 99.99, 1000])
        schema["minimum"] = low
    if rng.random() < 0.6:
        high = low + rng.choice([0.25, 1, 2.5, 100, 0.01])
        schema["maximum"] = high
    bounded = len(schema) > 1

    def make():
        for digits in (rng.choice([0, 1, 2, 3]), 3, 6):
            value = round(low + rng.random() * (high - low), digits)
            if low <= value <= high:
                return int(value) if rng.random() < 0.5 and value == int(value) else value
        return low

    if not bounded and rng.random() < 0.3:
        return Gen(schema, lambda: rng.choice([1e-7, 2.5e20, -1e30, 0.1, 12]))
    return Gen(schema, make)


def free_string():
    schema = {"type": "string"}
    low, high = 0, 12
    if rng.random() < 0.5:
        low = rng.choice([0, 1, 2, 5])
        schema["minLength"] = low
        high = max(high, low)
    if rng.random() < 0.5:
        high = low + rng.choice([0, 1, 3, 20])
        schema["maxLength"] = high
    return Gen(schema, lambda: text(low, high))


PATTERNS = [
    ("^[a-z]+$", lambda: "".join(rng.choice("abcxyz") for _ in range(rng.randint(1, 9)))),
    ("^[A-Z]{2,4}-\\d{3}$", lambda: "".join(rng.choice("ABZ") for _ in range(rng.randint(2, 4)))
     + "-%03d" % rng.randint(0, 999)),
    ("foo|bar", lambda: text(0, 3) + rng.choice(["foo", "bar"]) + text(0, 3)),
    ("^(red|green|blue)( (light|dark))?$",
     lambda: rng.choice(["red", "green", "blue"]) + rng.choice(["", " light", " dark"])),
    ("^\\+?[0-9 ]{3,12}$", lambda: rng.choice(["+", ""]) + "".join(rng.choice("0123 9") for _ in range(5))),
    ("^[^\\s@]+@[^\\s@]+$", lambda: "a%d@b.c" % rng.randint(0, 99)),
    ("\\d$", lambda: text(0, 5) + str(rng.randint(0, 9))),
    ("^ä", lambda: "ä" + text(0, 4)),
    ("^[^\\u0000-\\u007f]*$", lambda: "".join(rng.choice("äöü名😀") for _ in range(rng.randint(0, 4)))),
    ("^(aa)*$", lambda: "aa" * rng.randint(0, 4)),
    ("^.{0,5}$", lambda: text(0, 5).replace("\n", " ")),
    ("^[\\w.-]+\\.(txt|md)$", lambda: rng.choice(["a.txt", "read-me.md", "x_1.2.txt"])),
]


def pattern_string():
    pattern, make = rng.choice(PATTERNS)
    schema = {"type": "string", "pattern": pattern}
    if rng.random() < 0.3:
        schema["maxLength"] = rng.choice([6, 10, 40])
    return Gen(schema, make)


FORMATS = {
    "date": (["2024-02-29", "1999-12-31", "2026-11-16"], ["2023-02-29", "2024-13-01", "24-01-01"]),
    "uuid": (["123e4567-e89b-12d3-a456-426614174000"], ["123e4567-e89b-12d3-a456-42661417400", "x"]),
    "ipv4": (["127.0.0.1", "255.255.255.0"], ["256.1.1.1", "1.2.3", "01.2.3.4"]),
    "ipv6": (["::1", "2001:db8::8a2e:370:7334", "::ffff:1.2.3.4", "1:2:3:4:5:6:7:8", "1::8"],
             ["1:2:3", ":::", "12345::", "1:2:3:4:5:6:7:8:9", "1::2::3"]),
}


def format_string():
    name = rng.choice(sorted(FORMATS))
    good, _ = FORMATS[name]
    return Gen({"type": "string", "format": name}, lambda: rng.choice(good))


def enum():
    pool = [rng.choice([text(0, 6), rng.randint(-5, 5), None, True, False, 2.5, [1, "a"], {"k": 1}])
            for _ in range(rng.randint(1, 5))]
    pool = [v for i, v in enumerate(pool)
            if not any(json.dumps(v) == json.dumps(w) for w in pool[:i])]
    if len(pool) == 1 and rng.random() < 0.5:
        return Gen({"const": pool[0]}, lambda: copy.deepcopy(pool[0]))
    return Gen({"enum": pool}, lambda: copy.deepcopy(rng.choice(pool)))


def array(depth):
    schema = {"type": "array"}
    prefix = [gen(depth - 1) for _ in range(rng.choice([0, 0, 0, 1, 2]))]
    items = gen(depth - 1) if rng.random() < 0.8 else None
    if prefix:
        schema["prefixItems"] = [p.schema for p in prefix]
    if items:
        schema["items"] = items.schema
    elif prefix and rng.random() < 0.5:
        schema["items"] = False
    low, high = 0, 5
    if schema.get("items") is False:
        high = len(prefix)
    if rng.random() < 0.4:
        low = rng.randint(0, min(2, high))
        schema["minItems"] = low
    if rng.random() < 0.4:
        high = rng.randint(low, max(low, min(4, high)))
        schema["maxItems"] = high

    def make():
        out = []
        for i in range(rng.randint(low, high)):
            if i < len(prefix):
                out.append(prefix[i].make())
            else:
                out.append(items.make() if items else rng.choice([1, "x", None, []]))
        return out

    return Gen(schema, make)


def obj(depth):
    keys = rng.sample(WORDS, rng.randint(0, 5))
    props = {k: gen(depth - 1) for k in keys}
    required = [k for k in keys if rng.random() < 0.5]
    schema = {"type": "object", "properties": {k: g.schema for k, g in props.items()}}
    rng.shuffle(required)
    if required or rng.random() < 0.2:
        schema["required"] = required
    additional = rng.choice([UNSET, False, False, True, "gen"])
    extra = None
    if additional == "gen":
        extra = gen(0)
        schema["additionalProperties"] = extra.schema
    elif additional is not UNSET:
        schema["additionalProperties"] = additional
    if rng.random() < 0.15 and len(keys) >= 2:
        schema["minProperties"] = max(1, len(required))
    if rng.random() < 0.15:
        schema["maxProperties"] = max(len(required), 2)

    def make():
        out = {}
        most = schema.get("maxProperties", 99)
        left = most - len(required)
        for k in keys:
            if k in required:
                out[k] = props[k].make()
            elif left > 0 and rng.random() < 0.6:
                out[k] = props[k].make()
                left -= 1
        if additional is not False and left > 0 and rng.random() < 0.5:
            out["extra%d" % rng.randint(0, 9)] = extra.make() if extra else rng.choice([1, "y", {}])
        if len(out) < schema.get("minProperties", 0):
            for k in keys:
                out.setdefault(k, props[k].make())
            out = {k: out[k] for k in keys if k in out}
        return out

    return Gen(schema, make)


def any_of(depth):
    parts = [gen(depth - 1) for _ in range(rng.randint(2, 3))]
    return Gen({"anyOf": [p.schema for p in parts]}, lambda: rng.choice(parts).make())


def one_of(depth):
    kinds = rng.sample(["cat", "dog", "fish"], 2)
    parts = []
    for kind in kinds:
        value = gen(depth - 1)
        parts.append((kind, value))
    schema = {"oneOf": [{"type": "object", "required": ["kind", "v"], "additionalProperties": False,
                         "properties": {"kind": {"const": k}, "v": v.schema}} for k, v in parts]}

    def make():
        kind, value = rng.choice(parts)
        return {"kind": kind, "v": value.make()}

    return Gen(schema, make)


def all_of(depth):
    base = rng.choice([integer, free_string])()
    extra = {"minimum": -100} if base.schema["type"] == "integer" else {"maxLength": 9}
    return Gen({"allOf": [base.schema, extra]}, base.make)


def recursive(_depth):
    schema = {"$ref": "#/$defs/tree",
              "$defs": {"tree": {"type": "object", "required": ["v"], "additionalProperties": False,
                                 "properties": {"v": {"type": "integer"},
                                                "kids": {"type": "array", "maxItems": 3,
                                                         "items": {"$ref": "#/$defs/tree"}}}}}}

    def make(depth=3):
        out = {"v": rng.randint(0, 99)}
        if depth and rng.random() < 0.7:
            out["kids"] = [make(depth - 1) for _ in range(rng.randint(0, 2))]
        return out

    return Gen(schema, make)


def gen(depth):
    leaves = [null, boolean, integer, integer, number, free_string, free_string, pattern_string,
              format_string, enum]
    if depth <= 0 or rng.random() < 0.3:
        return rng.choice(leaves)()
    return rng.choice([array, obj, obj, obj, any_of, one_of, all_of])(depth)


def paths(value, at=()):
    yield at
    if isinstance(value, dict):
        for k in value:
            yield from paths(value[k], at + (k,))
    if isinstance(value, list):
        for i, v in enumerate(value):
            yield from paths(v, at + (i,))


def mutated(value):
    value = copy.deepcopy(value)
    at = rng.choice(list(paths(value)))
    parent, key = None, None
    node = value
    for k in at:
        parent, key, node = node, k, node[k]

    def put(new):
        nonlocal value
        if parent is None:
            value = new
        else:
            parent[key] = new

    how = rng.random()
    if isinstance(node, dict) and how < 0.6:
        if node and how < 0.3:
            del node[rng.choice(list(node))]
        else:
            node["zz%d" % rng.randint(0, 9)] = rng.choice([1, "s", None, [1]])
    elif isinstance(node, list) and how < 0.6:
        if node and how < 0.3:
            node.pop()
        else:
            node.append(rng.choice([1, "s", None, {"q": 1}]))
    elif isinstance(node, bool) or node is None:
        put(rng.choice([1, "true", None, [], False]))
    elif isinstance(node, int) and how < 0.7:
        put(node + rng.choice([-1000, -10, -1, 1, 10, 1000]))
    elif isinstance(node, float) and how < 0.7:
        put(round(node + rng.choice([-100, -0.001, 0.001, 100]), 6))
    elif isinstance(node, str) and how < 0.7:
        put(rng.choice([node[:-1], node + "x", node.upper(), "", node + text(1, 12),
                        "999.1.1.1", "2023-02-29"]))
    else:
        put(rng.choice([None, True, 7, -1.5, "text", [], {}, ["a"], {"a": 1}]))
    return value


def spelled(value):
    style = rng.choice([{}, {"indent": 2}, {"separators": (",", ":")}, {"indent": 1}])
    return json.dumps(value, ensure_ascii=rng.random() < 0.4, **style)


def judged(schema, value):
    validator = jsonschema.Draft202012Validator(
        schema, format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER)
    return validator.is_valid(value)


def main():
    cases = []
    while len(cases) < CASES:
        made = recursive(0) if rng.random() < 0.03 else gen(3)
        schema = made.schema
        if isinstance(schema, dict) and rng.random() < 0.3:
            schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "t", **schema}
        valid, invalid = [], []
        for _ in range(30):
            value = made.make()
            for candidate in (value, mutated(value), mutated(mutated(value))):
                target = valid if judged(schema, candidate) else invalid
                line = spelled(candidate)
                if len(target) < 4 and line not in target and len(line) < 600:
                    target.append(line)
        if not valid or len(json.dumps(schema)) > 1500:
            continue
        cases.append({"schema": schema, "valid": valid, "invalid": invalid})
    print("[")
    print(",\n".join(json.dumps(case, ensure_ascii=False, separators=(",", ":")) for case in cases))
    print("]")


main()
