#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sinew authors

"""check_table.py PROGRAM FOLDER [PAGE.md]: what `sinew check` says about all rigged characters in a folder and below.

Prints a table, and writes it between the marks of a page of the documentation if one is given.
"""

import json
import os
import subprocess
import sys


def rigged(folder):
    for root, _, files in sorted(os.walk(folder)):
        for name in sorted(files):
            if os.path.splitext(name)[1].lower() in (".glb", ".gltf", ".vrm", ".fbx"):
                yield os.path.join(root, name)


def main():
    program, folder = sys.argv[1], sys.argv[2]
    lines = ["| character | verdict | fails | to look at |", "|---|---|---|---|"]
    counts = {}
    for path in rigged(folder):
        result = subprocess.run([program, "check", path, "--json"], capture_output=True, text=True, check=False)
        try:
            found = json.loads(result.stdout)["metrics"]["files"][0]
        except (ValueError, KeyError):
            continue
        checks = {c["id"]: c["verdict"] for c in found.get("checks", [])}
        if found["verdict"] == "UNREADABLE" or checks.get("skeleton.none") == "FAIL":
            continue
        counts[found["verdict"]] = counts.get(found["verdict"], 0) + 1
        by = lambda verdict: ", ".join(f"`{i}`" for i, v in checks.items() if v == verdict)
        lines.append(f"| {os.path.basename(path)} | {found['verdict']} | {by('FAIL')} | {by('CHECK')} |")
    summary = ", ".join(f"{counts.get(v, 0)} {v}" for v in ("PASS", "CHECK", "FAIL"))
    table = f"{sum(counts.values())} characters: {summary}.\n\n" + "\n".join(lines) + "\n"
    print(table)
    if len(sys.argv) > 3:
        with open(sys.argv[3], encoding="utf-8") as file:
            page = file.read()
        begin, end = "<!-- characters -->\n", "<!-- /characters -->"
        at, to = page.index(begin) + len(begin), page.index(end)
        with open(sys.argv[3], "w", encoding="utf-8") as file:
            file.write(page[:at] + "\n" + table + "\n" + page[to:])


main()
