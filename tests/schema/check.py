#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds SPEC.md and the JSON schema against each other. run.sh calls it and reads its lines.

    check.py SCHEMA PAGE FOLDER_OF_BAD_FILES FILE...
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


def keys_of(schema):
    """(definition, key) -> the key's schema"""
    keys = {("", key): value for key, value in schema["properties"].items()}
    for name, definition in schema["$defs"].items():
        keys.update({(name, key): value for key, value in definition["properties"].items()})
    return keys


def visit(keys, definition, node, seen):
    """Notes every key that a file uses."""
    for key, value in node.items():
        seen.add((definition, key))
        where = keys[definition, key]
        where = where.get("items", where)
        if "$ref" not in where:
            continue
        for entry in value if isinstance(value, list) else [value]:
            visit(keys, where["$ref"].rsplit("/", 1)[1], entry, seen)


def check_page(schema, page):
    keys = keys_of(schema)
    said = set(re.findall(r"`([^`\n]+)`", page))
    for key in sorted({key for _, key in keys} - said):
        print("not named on the page: " + key, file=sys.stderr)
    report({key for _, key in keys} <= said, "every key is named on SPEC.md")
    words = {word for value in keys.values() for word in value.get("enum", []) if isinstance(word, str)}
    for word in sorted(words - said):
        print("not named on the page: " + word, file=sys.stderr)
    report(words <= said and len(words) > 50, "every word is named on SPEC.md")


def check_use(schema, documents):
    keys = keys_of(schema)
    seen = set()
    for _, document in documents:
        visit(keys, "", document, seen)
    # What is allowed inside of a list or a record and makes no sense there; the rules across keys refuse it.
    unused = {(name, key) for name, key in set(keys) - seen if name != "of"}
    for name, key in sorted(unused):
        print("in no file on the page: %s of %s" % (key, name), file=sys.stderr)
    report(not unused, "every key is in a file on SPEC.md")


def check_editor(jsonschema, yaml, schema, documents, bad):
    validator = jsonschema.Draft202012Validator(schema)
    validator.check_schema(schema)
    for name, document in documents:
        errors = list(validator.iter_errors(document))
        for error in errors:
            print("%s: %s" % (name, error.message), file=sys.stderr)
        report(not errors, "an editor takes " + name)
    for path in sorted(glob.glob(os.path.join(bad, "*.yaml"))):
        name = os.path.basename(path)
        if UNSEEN.search(name):
            continue
        try:
            with open(path, encoding="utf-8") as file:
                document = yaml.safe_load(file)
        except (yaml.YAMLError, UnicodeDecodeError):
            continue
        report(not validator.is_valid(document), "an editor refuses " + name)


def main():
    schema_path, page_path, bad, *files = sys.argv[1:]
    with open(schema_path, encoding="utf-8") as file:
        schema = json.load(file)
    with open(page_path, encoding="utf-8") as file:
        check_page(schema, file.read())
    try:
        import yaml
    except ImportError:
        print("skip every key is in a file on SPEC.md")
        return
    documents = []
    for path in files:
        with open(path, encoding="utf-8") as file:
            documents.append((re.sub(r".*/examples/", "", path), yaml.safe_load(file)))
    documents = [(re.sub(r".*/(example_.*)", r"SPEC.md \1", name), document) for name, document in documents]
    check_use(schema, [(name, document) for name, document in documents if name.startswith("SPEC.md")])
    try:
        import jsonschema
    except ImportError:
        print("skip an editor takes good files")
        return
    check_editor(jsonschema, yaml, schema, documents, bad)


main()
