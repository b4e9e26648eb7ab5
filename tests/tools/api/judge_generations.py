#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Validates the lines that grammar_generation_test wrote ({"schema": ..., "text": ...}) with
python3-jsonschema. Exits with 1 if a text does not parse or does not satisfy its schema."""
import json
import sys

import jsonschema

failed = count = 0
for line in open(sys.argv[1], encoding="utf-8"):
    case = json.loads(line)
    count += 1
    try:
        jsonschema.Draft202012Validator(
            case["schema"], format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER
        ).validate(json.loads(case["text"]))
    except (ValueError, jsonschema.ValidationError) as error:
        failed += 1
        print(case["text"], error, file=sys.stderr)
print(f"{count} texts, {failed} invalid")
sys.exit(1 if failed else 0)
