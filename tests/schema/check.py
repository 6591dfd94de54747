#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks with a JSON schema library what editor.c checks: the schema is valid, it accepts good files and rejects wrong ones. run.sh calls
it and reads its lines.

    check.py SCHEMA FOLDER_OF_BAD_FILES FILE...
"""
import glob
import json
import os
import re
import sys

# What a JSON schema cannot see: bytes, and YAML beyond JSON. What a YAML reader refuses by itself is passed over.
UNSEEN = re.compile("alias|byte|complex_key|depth|document|duplicate_key|empty|only_comments|syntax|tag|width|zero")


def report(good, name):
    print(("ok " if good else "not ok ") + name)


def check_good(validator, yaml, files):
    for path in files:
        with open(path, encoding="utf-8") as file:
            errors = list(validator.iter_errors(yaml.safe_load(file)))
        for error in errors:
            print("%s: %s" % (path, error.message), file=sys.stderr)
        report(not errors, "jsonschema takes " + re.sub(r".*/(?:examples/)?(\w*/?[\w.]*)$", r"\1", path))


def check_bad(validator, yaml, folder):
    for path in sorted(glob.glob(os.path.join(folder, "*.yaml"))):
        name = os.path.basename(path)
        if UNSEEN.search(name):
            continue
        try:
            with open(path, encoding="utf-8") as file:
                document = yaml.safe_load(file)
        except (yaml.YAMLError, UnicodeDecodeError):
            continue
        report(not validator.is_valid(document), "jsonschema refuses " + name)


def main():
    schema_path, bad, *files = sys.argv[1:]
    try:
        import jsonschema
        import yaml
    except ImportError:
        print("skip a JSON schema library agrees")
        return
    with open(schema_path, encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    check_good(validator, yaml, files)
    check_bad(validator, yaml, bad)


main()
