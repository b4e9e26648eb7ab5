#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/data/chat_template_cases.json: what Python's jinja2, configured as Hugging Face's transformers does,
makes of every template of template_texts.py with every conversation of template_conversations.py.

    tests/frontends/chat/make_template_cases.py            writes the file
    tests/frontends/chat/make_template_cases.py --second FOLDER
        also renders with @huggingface/jinja (`npm install @huggingface/jinja` in FOLDER) and lists where the two differ
"""
import datetime
import json
import pathlib
import subprocess
import sys

import jinja2
import jinja2.ext
import jinja2.sandbox
from jinja2 import nodes

from template_conversations import CONVERSATIONS
from template_texts import MUTABLE, TEMPLATES

OUT = pathlib.Path(__file__).resolve().parents[2] / "data" / "chat_template_cases.json"
NOW = datetime.datetime(2026, 1, 2, 3, 4, 5)  # as the test sets the clock


class Generation(jinja2.ext.Extension):
    """Accepts {% generation %} and renders its body."""

    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return nodes.CallBlock(self.call_method("_body"), [], [], body).set_lineno(line)

    @staticmethod
    def _body(caller):
        return caller()


def to_json(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def raise_exception(message):
    raise jinja2.exceptions.TemplateError(message)


def environment(name):
    kind = jinja2.sandbox.SandboxedEnvironment if name in MUTABLE else jinja2.sandbox.ImmutableSandboxedEnvironment
    env = kind(trim_blocks=True, lstrip_blocks=True, extensions=[Generation, jinja2.ext.loopcontrols])
    env.filters["tojson"] = to_json
    env.filters["from_json"] = json.loads
    env.globals["raise_exception"] = raise_exception
    env.globals["strftime_now"] = NOW.strftime
    return env


def render(name, template, conversation):
    context = {"tools": None, "documents": None, "add_generation_prompt": False, **conversation}
    try:
        return environment(name).from_string(template).render(**context)
    except Exception:  # whatever it is, rendering must fail here too
        return None


SECOND = """
import { Template } from '@huggingface/jinja';
import { readFileSync } from 'node:fs';
const { templates, conversations } = JSON.parse(readFileSync(0));
const out = {};
for (const [name, text] of Object.entries(templates)) {
  out[name] = conversations.map((c) => {
    try {
      return new Template(text).render({ tools: null, documents: null, add_generation_prompt: false, ...c });
    } catch (e) { return null; }
  });
}
console.log(JSON.stringify(out));
"""


def compare(folder, outputs):
    script = pathlib.Path(folder) / "second.mjs"
    script.write_text(SECOND)
    given = json.dumps({"templates": TEMPLATES, "conversations": CONVERSATIONS})
    second = json.loads(subprocess.run(["node", str(script)], input=given, capture_output=True, check=True, text=True,
                                       cwd=folder).stdout)
    equal = failed = 0
    for name, texts in outputs.items():
        for i, text in enumerate(texts):
            other = second[name][i]
            equal += text == other
            failed += text is not None and other is None
            if text != other:
                print(f"{name}, conversation {i}:\n  jinja2 {text!r}\n  @huggingface/jinja {other!r}")
    total = sum(len(texts) for texts in outputs.values())
    print(f"{equal} of {total} equal; of the others @huggingface/jinja fails on {failed}")


def main():
    outputs = {name: [render(name, text, c) for c in CONVERSATIONS] for name, text in TEMPLATES.items()}
    lines = ["{", f'"versions": {json.dumps({"jinja2": jinja2.__version__})},', '"conversations": [']
    # As texts: a JSON library need not keep 100000000000000000000.
    lines.append(",\n".join(json.dumps(json.dumps(c, ensure_ascii=False), ensure_ascii=False) for c in CONVERSATIONS))
    lines += ["],", '"cases": [']
    lines.append(",\n".join(json.dumps({"name": name, "template": TEMPLATES[name], "rendered": texts}, ensure_ascii=False)
                            for name, texts in outputs.items()))
    lines += ["]", "}"]
    OUT.write_text("\n".join(lines) + "\n", encoding="utf-8")
    failing = [name for name, texts in outputs.items() if all(text is None for text in texts)]
    print(f"{len(outputs)} templates, {len(CONVERSATIONS)} conversations; fail with all: {', '.join(failing)}")
    for name, texts in outputs.items():
        if None in texts and name not in failing:
            print(f"  {name} fails with {[i for i, text in enumerate(texts) if text is None]}")
    if len(sys.argv) == 3 and sys.argv[1] == "--second":
        compare(sys.argv[2], outputs)


if __name__ == "__main__":
    main()
