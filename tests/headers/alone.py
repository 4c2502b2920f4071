#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sinew authors

"""Compiles every public header alone.

    alone.py COMPILER FOLDER [FLAG…] [--only HEADER…]

Most of the time would go into Eigen and the JSON library. A header that includes core/math.h or core/json.h, itself or through
others, gets these two precompiled, which g++ does in FOLDER: what they bring the header has anyway. Prints what does not
compile and how many headers were compiled; the exit code is 1 if one failed, 2 if there was none.
"""

import concurrent.futures
import os
import subprocess
import sys

sys.dont_write_bytecode = True
ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "tests", "guards"))
import guards

HEAVY = ("sinew/core/math.h", "sinew/core/json.h")


def reached(header, known):
    """The project's headers that a header includes, itself and through others."""
    if header not in known:
        known[header] = set()
        guard = guards.Guard(ROOT)
        for _, line in guards.without_comments(guard.lines(os.path.join("src", header))):
            match = guards.INCLUDE.match(line)
            name = match and (match[1] or match[2])
            if name and os.path.exists(os.path.join(ROOT, "src", name)):
                known[header] |= {name} | reached(name, known)
    return known[header]


def compile_text(command, text):
    return subprocess.run([*command, "-x", "c++", "-"], input=text, cwd=ROOT, capture_output=True, text=True, check=False)


def precompiled(command, folder, headers):
    """The flags that bring these headers precompiled; none where that does not work."""
    if not headers or "clang" in os.path.basename(command[0]):
        return []
    path = os.path.join(folder, "_".join(os.path.basename(name).removesuffix(".h") for name in headers) + ".h")
    with open(path, "w", encoding="utf-8") as file:
        file.write("".join(f'#include "{name}"\n' for name in headers))
    words = [word for word in command if word != "-fsyntax-only"]
    made = subprocess.run([*words, "-x", "c++-header", path, "-o", path + ".gch"], cwd=ROOT, check=False)
    return ["-include", path] if made.returncode == 0 else []


def main():
    words = sys.argv[1:]
    only = words[words.index("--only") + 1:] if "--only" in words else []
    words = words[:words.index("--only")] if "--only" in words else words
    compiler, folder, flags = words[0], words[1], words[2:]
    command = [compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-Isrc", *flags]
    os.makedirs(folder, exist_ok=True)
    headers = only or [header for _, header in guards.listed_headers(ROOT)]
    known, brought = {}, {}
    for header in headers:
        heavy = tuple(name for name in HEAVY if name in reached(header, known))
        if heavy not in brought:
            brought[heavy] = precompiled(command, folder, heavy)

    def compile_one(header):
        heavy = tuple(name for name in HEAVY if name in known[header])
        return compile_text([*command, *brought[heavy]], f'#include "{header}"\n')

    failed = 0
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        for header, result in zip(headers, pool.map(compile_one, headers)):
            if result.returncode != 0:
                failed += 1
                print(f"{header} does not compile alone:\n{result.stderr[:2000]}")
    print(f"{len(headers)} headers compiled, {failed} failed")
    return 2 if not headers else 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
