#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the commands of .jsonl files into a folder, one a file: commands.py FOLDER FILE..."""
import base64
import hashlib
import json
import os
import sys

folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
for path in sys.argv[2:]:
    with open(path, encoding="utf-8") as lines:
        for line in filter(str.strip, lines):
            entry = json.loads(line)
            text = base64.b64decode(entry["base64"]) if "base64" in entry else entry.get("command", entry.get("text", "")).encode()
            with open(os.path.join(folder, hashlib.sha1(text).hexdigest()), "wb") as out:
                out.write(text)
