#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sinew authors

"""binding_table.py --sinew PROGRAM [--methods A,B,…] [--timeout S] [--json FILE] CHARACTER…

Binds each character again by each binder, to the joints that its file weights, and measures how far the new weights are from those the
file came with. Prints a Markdown table, a line per character: mean half L1 / share of vertices with the same dominant joint / posed
RMS in thousandths of the size. Means are over the vertices that were bound: parts that hang rigidly on a joint stay and do not
count. What fails is listed below with its reason; the exit code is then 1."""

import argparse
import json
import os
import struct
import subprocess
import sys
import tempfile
import time

METHODS = ["auto", "heat", "voxel", "segment", "distance", "rigid"]


class Failure(Exception):
    """A run of the program that did not do what it was asked; says why."""


def sinew(options, *words):
    try:
        result = subprocess.run([options.sinew, *words], capture_output=True, text=True, timeout=options.timeout, check=False)
    except subprocess.TimeoutExpired as late:
        raise Failure(f"{words[0]}: not done after {options.timeout:g} s") from late
    if result.returncode != 0:
        lines = result.stderr.strip().splitlines() or ["no reason given"]
        raise Failure(f"{words[0]}: exit {result.returncode}: {lines[-1]}")
    return result.stdout


def name_nodes_apart(path, copy):
    """Writes a copy of a GLB in which no two nodes have one name: `measure` finds joints by their names."""
    with open(path, "rb") as file:
        data = file.read()
    (length,) = struct.unpack_from("<I", data, 12)
    document = json.loads(data[20:20 + length])
    seen = set()
    for number, node in enumerate(document.get("nodes", [])):
        if node.get("name") in seen:
            node["name"] += f"~{number}"
        seen.add(node.get("name"))
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    rest = data[20 + length:]
    with open(copy, "wb") as file:
        file.write(struct.pack("<4sIIII", b"glTF", 2, 20 + len(text) + len(rest), len(text), 0x4E4F534A) + text + rest)


def prepare(options, path, folder):
    """The character as a GLB, whose vertex numbers stay the same when it is written again, and how many vertices it has."""
    if not path.lower().endswith((".glb", ".vrm")):
        source, path = path, os.path.join(folder, "converted.glb")
        sinew(options, "convert", source, "-o", path, "--force", "--quiet")
    copy = os.path.join(folder, "original.glb")
    name_nodes_apart(path, copy)
    info = json.loads(sinew(options, "info", copy, "--json"))
    return copy, info["metrics"]["mesh"]["render_vertices"]


def rebind(options, original, total, method, folder):
    bound = os.path.join(folder, f"{method}.glb")
    start = time.monotonic()
    told = json.loads(sinew(options, "bind", original, "--method", method, "-o", bound, "--force", "--json"))
    seconds = time.monotonic() - start
    measured = json.loads(sinew(options, "measure", original, "--against", bound, "--no-intersections", "--planes", "1", "--json"))
    agreement = measured["metrics"].get("agreement")
    if agreement is None:
        raise Failure("measure: there are no weights to compare")
    posed = agreement.get("posed", {})
    share = told["metrics"]["vertices"] / total  # All others agree with themselves.
    figures = {
        "half_l1": agreement["mean_half_l1"] / share,
        "same": 1 - (1 - agreement["same_dominant"]) / share,
        "empty_rows": agreement["empty_rows"],
        "posed_rms": posed["rms_rel"] / share ** 0.5 if "rms_rel" in posed else None,
        "vertices": told["metrics"]["vertices"],
        "joints": told["metrics"]["joints"]["bound"],
        "idle": told["metrics"]["joints_without_vertices"],
        "low_confidence": told["metrics"]["low_confidence"],
        "origins": told["metrics"]["origins"],
        "kept": told["metrics"]["parts"]["kept"],
        "seconds": seconds,
    }
    os.remove(bound)
    if figures["empty_rows"]:
        raise Failure(f"measure: {figures['empty_rows']} vertices without weights, before or after")
    return figures


def cell(figures):
    if figures is None:
        return "–"
    text = f"{figures['half_l1']:.3f} / {100 * figures['same']:.0f} %"
    return text if figures["posed_rms"] is None else f"{text} / {1000 * figures['posed_rms']:.1f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sinew", required=True)
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--timeout", type=float, default=300, help="most seconds for one run of the program")
    parser.add_argument("--json", help="write all figures to this file")
    parser.add_argument("characters", nargs="+")
    options = parser.parse_args()
    methods = options.methods.split(",")
    print(f"| character | vertices | joints | {' | '.join(methods)} |")
    print("|---|---|---|" + "---|" * len(methods))
    failures, everything = [], {}
    with tempfile.TemporaryDirectory(prefix="sinew-table-") as folder:
        for path in options.characters:
            name = os.path.splitext(os.path.basename(path))[0]
            results = {}
            try:
                original, total = prepare(options, path, folder)
            except Failure as reason:
                failures.append(f"{name}: {reason}")
                continue
            for method in methods:
                try:
                    results[method] = rebind(options, original, total, method, folder)
                except Failure as reason:
                    failures.append(f"{name}, {method}: {reason}")
            everything[name] = results
            first = next(iter(results.values()), {"vertices": "–", "joints": "–"})
            cells = " | ".join(cell(results.get(method)) for method in methods)
            print(f"| {name} | {first['vertices']} | {first['joints']} | {cells} |", flush=True)
    for failure in failures:
        print(f"\n- {failure}")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(everything, file, indent=1)
    return 1 if failures or not everything else 0


if __name__ == "__main__":
    sys.exit(main())
