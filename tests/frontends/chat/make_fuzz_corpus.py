#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_fuzz_corpus.py FOLDER: the templates and conversations of the tests as inputs for fuzz_chat_template."""
import json
import pathlib
import sys

from template_conversations import CONVERSATIONS
from template_texts import TEMPLATES

folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
for number, text in enumerate(TEMPLATES.values()):
    conversation = json.dumps(CONVERSATIONS[number % len(CONVERSATIONS)], ensure_ascii=False)
    (folder / f"{number:03}").write_bytes(text.encode() + b"\0" + conversation.encode())
