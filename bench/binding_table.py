#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sinew authors

"""binding_table.py --sinew PROGRAM [--blender PROGRAM] [--data FOLDER… [--half HALF]] [--methods A,B,…] [--json FILE]
                 [--page FILE.md] [--readme FILE.md] [CHARACTER…]

Binds each character again by each binder, to the joints that its file weights, and measures how far the new weights are from those the
file came with. With `--data`, all skinned characters below a folder. Blender's automatic weights are measured beside them if Blender
is installed. Prints a line per character as it goes. `--page` replaces what stands between the lines `<!-- table: agreement -->` and
`<!-- /table -->` of that file, `--readme` the row of the README that compares weights with artists'.

A cell is: mean half L1 / share of vertices with the same dominant joint / posed RMS in thousandths of the size. Means are over the
vertices that were bound: parts that hang rigidly on a joint stay and do not count. `--json` keeps all figures; characters that it has
already are not measured again. What fails is listed with its reason; the exit code is then 1.

A character is *heat-made* if its weights are within 0.1 of Blender's automatic weights or within 0.05 of our heat: nobody painted it,
and it says which program was used. Half of the characters were not looked at while the methods were developed: those for which the first
byte of the SHA-256 of the file's name, without its extension, is odd."""

import argparse
import hashlib
import json
import os
import resource
import shutil
import struct
import subprocess
import sys
import tempfile

METHODS = ["auto", "heat", "harmonic", "voxel", "segment", "distance", "rigid"]
OWN = ["heat", "harmonic", "voxel", "segment", "distance", "rigid"]  # What `auto` should not be far behind.
BLENDER = "blender"
HEURISTICS = ["TEMPERANCE", "BLENDER"]  # How Blender's importer draws bones from joints.
LIKE_BLENDER, LIKE_HEAT = 0.1, 0.05
KINDS = (".glb", ".vrm", ".fbx")


class Failure(Exception):
    """A run of a program that did not do what it was asked; says why."""


def run(options, words):
    try:
        result = subprocess.run(words, capture_output=True, text=True, timeout=options.timeout, check=False)
    except subprocess.TimeoutExpired as late:
        raise Failure(f"{os.path.basename(words[0])}: not done after {options.timeout:g} s") from late
    return result


def sinew(options, *words):
    result = run(options, [options.sinew, *words])
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
    """The character as a GLB, whose vertex numbers stay the same when it is written again, the number of its vertices, and the names of
    the joints that move them."""
    if not path.lower().endswith((".glb", ".vrm")):
        source, path = path, os.path.join(folder, "converted.glb")
        sinew(options, "convert", source, "-o", path, "--force", "--quiet")
    copy = os.path.join(folder, "original.glb")
    name_nodes_apart(path, copy)
    info = json.loads(sinew(options, "info", copy, "--json"))
    joints = [joint["name"] for joint in info["metrics"]["skeleton"]["joints"] if joint["vertices"] > 0]
    return copy, info["metrics"]["mesh"]["render_vertices"], joints


def agreement(options, original, other, share):
    """Of two files, over the vertices that were bound. All others agree with themselves."""
    measured = json.loads(sinew(options, "measure", original, "--against", other, "--no-intersections", "--planes", "1", "--json"))
    found = measured["metrics"].get("agreement")
    if found is None:
        raise Failure("measure: there are no weights to compare")
    posed = found.get("posed", {})
    return {
        "half_l1": found["mean_half_l1"] / share,
        "same": 1 - (1 - found["same_dominant"]) / share,
        "empty_rows": found["empty_rows"],
        "posed_rms": posed["rms_rel"] / share ** 0.5 if "rms_rel" in posed else None,
    }


def bleeding(options, path, folder):
    """The number of rows that `weights --repair` takes for bleeding or stray."""
    told = json.loads(sinew(options, "weights", path, "--repair", "-o", os.path.join(folder, "repaired.glb"), "--force", "--json"))
    found = next(edit for edit in told["metrics"]["operations"] if edit["operation"] == "repair")["found"]
    return found["bleeding"] + found["stray"]


def rebind(options, original, total, method, folder):
    bound = os.path.join(folder, f"{method}.glb")
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    told = json.loads(sinew(options, "bind", original, "--method", method, "--keep-springs=false", "-o", bound, "--force", "--json"))
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    figures = agreement(options, original, bound, told["metrics"]["vertices"] / total)
    figures.update({
        "vertices": told["metrics"]["vertices"],
        "joints": told["metrics"]["joints"]["bound"],
        "idle": told["metrics"]["joints_without_vertices"],
        "low_confidence": told["metrics"]["low_confidence"],
        "origins": told["metrics"]["origins"],
        "kept": told["metrics"]["parts"]["kept"],
        "cpu_s": seconds,
        "bleeding": bleeding(options, bound, folder) / total,
    })
    os.remove(bound)
    if figures["empty_rows"]:
        raise Failure(f"measure: {figures['empty_rows']} vertices without weights, before or after")
    return figures


def by_blender(options, original, share, total, joints, folder):
    """Blender's automatic weights: of both ways to draw bones, the one that is nearer to the artist. Each merged vertex counts once
    where Blender's importer has moved the vertices."""
    best = None
    for heuristic in HEURISTICS:
        bound, artist = os.path.join(folder, "blender.glb"), os.path.join(folder, "artist.glb")
        for path in (bound, artist):
            if os.path.exists(path):
                os.remove(path)
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "blender_weights.py")
        result = run(options, [options.blender, "--background", "--factory-startup", "--python", script, "--", original, bound,
                               artist, heuristic, ",".join(joints)])
        empty = [line for line in result.stdout.splitlines() if line.startswith("empty ")]
        if not empty or not os.path.exists(bound):
            lines = [line for line in (result.stderr + result.stdout).splitlines() if "Error" in line] or ["no reason given"]
            raise Failure(f"Blender: {lines[-1]}")
        try:
            figures = agreement(options, original, bound, share)
        except Failure:  # Blender's importer has moved the vertices: compare with what it made of the artist's weights.
            figures = agreement(options, artist, bound, 1)
        figures["unweighted"] = int(empty[-1].split()[1])
        figures["heuristic"] = heuristic
        figures["bleeding"] = bleeding(options, bound, folder) / total
        if best is None or figures["half_l1"] < best["half_l1"]:
            best = figures
    return best


def half_of(name):
    return "held-out" if hashlib.sha256(name.encode()).digest()[0] % 2 else "development"


def characters_below(folder, half):
    found = []
    for place, folders, files in os.walk(folder):
        folders.sort()
        for file in sorted(files):
            name, kind = os.path.splitext(file)
            if kind.lower() in KINDS and half in ("all", half_of(name)):
                found.append(os.path.join(place, file))
    return found


def is_skinned(options, path):
    try:
        info = json.loads(sinew(options, "info", path, "--json"))
    except Failure:
        return False
    return any(count for count in info["metrics"].get("weights", {}).get("influence_histogram", [])[1:])


def measure_character(options, path, methods, failures):
    name = os.path.splitext(os.path.basename(path))[0]
    results = {}
    with tempfile.TemporaryDirectory(prefix="sinew-table-") as folder:
        try:
            original, total, joints = prepare(options, path, folder)
        except Failure as reason:
            failures.append(f"{name}: {reason}")
            return results
        for method in methods:
            try:
                results[method] = rebind(options, original, total, method, folder)
            except (Failure, KeyError) as reason:
                failures.append(f"{name}, {method}: {reason}")
        if options.blender and results:
            try:
                share = next(iter(results.values()))["vertices"] / total
                results[BLENDER] = by_blender(options, original, share, total, joints, folder)
            except (Failure, KeyError) as reason:
                failures.append(f"{name}, Blender: {reason}")
    return results


def cell(figures):
    if figures is None:
        return "–"
    text = f"{figures['half_l1']:.3f} / {100 * figures['same']:.0f} %"
    return text if figures["posed_rms"] is None else f"{text} / {1000 * figures['posed_rms']:.1f}"


def line_of(name, results, columns):
    first = next(iter(results.values()), {"vertices": "–", "joints": "–"})
    cells = " | ".join(cell(results.get(column)) for column in columns)
    return f"| {name} | {first['vertices']} | {first['joints']} | {cells} |"


def heat_made(results):
    return results.get(BLENDER, {}).get("half_l1", 1) < LIKE_BLENDER or results.get("heat", {}).get("half_l1", 1) < LIKE_HEAT


def mean(values):
    values = [v for v in values if v is not None]
    return sum(values) / len(values) if values else float("nan")


def summary(group, columns):
    """Lines on a group of characters: means, wins of auto over Blender, regret of auto against our own best."""
    lines = ["| | " + " | ".join(columns) + " |", "|---|" + "---|" * len(columns)]
    full = [r for r in group.values() if all(c in r for c in columns)]
    for title, key, scale, digits in (("half L1, mean", "half_l1", 1, 3), ("posed RMS ‰, mean", "posed_rms", 1000, 1),
                                      ("bleeding or stray rows %, mean", "bleeding", 100, 2)):
        values = [mean(r[c].get(key) for r in full) for c in columns]
        cells = [f"{scale * value:.{digits}f}" if value == value else "–" for value in values]
        lines.append(f"| {title} | " + " | ".join(cells) + " |")
    lines.append("")
    own = [c for c in columns if c in OWN]
    if "auto" in columns and own and full:
        regret = [r["auto"]["half_l1"] - min(r[c]["half_l1"] for c in own) for r in full]
        lines.append(f"Regret of `auto`, its half L1 less that of our best other binder: {mean(regret):+.3f} on average, "
                     f"{max(regret):+.3f} at worst.")
    if "auto" in columns and BLENDER in columns and full:
        nearer = sum(r["auto"]["half_l1"] < r[BLENDER]["half_l1"] for r in full)
        posed = [(r["auto"]["posed_rms"], r[BLENDER]["posed_rms"]) for r in full]
        posed = [(a, b) for a, b in posed if a is not None and b is not None]
        lines.append(f"`auto` is nearer to the artist than Blender on {nearer} of {len(full)} in half L1 and on "
                     f"{sum(a < b for a, b in posed)} of {len(posed)} in posed RMS.")
    return lines


def groups_of(everything):
    groups = {}
    for name, results in sorted(everything.items(), key=lambda item: item[0].lower()):
        if results:
            groups.setdefault((half_of(name), "heat-made" if heat_made(results) else "painted"), {})[name] = results
    return groups


def page(everything, columns):
    lines = []
    for half in ("held-out", "development"):
        for kind in ("painted", "heat-made"):
            group = groups_of(everything).get((half, kind))
            if not group:
                continue
            lines += [f"### {half.capitalize()}, {kind}: {len(group)} characters", ""]
            lines += summary(group, columns)
            lines += ["", f"| character | vertices | joints | {' | '.join(columns)} |", "|---|---|---|" + "---|" * len(columns)]
            lines += [line_of(name, results, columns) for name, results in group.items()]
            lines.append("")
    return lines


README_ROW = "| weights computed anew, compared with the artist's"


def readme_row(everything):
    """The row of the README's table: characters that were held out and painted, ours beside Blender's."""
    group = groups_of(everything).get(("held-out", "painted"), {})
    full = [r for r in group.values() if "auto" in r and BLENDER in r]
    if not full:
        raise SystemExit("No held-out, painted character was measured with Blender, so there is nothing for the README.")
    cells = [f"{mean(r[who]['half_l1'] for r in full):.3f}, {1000 * mean(r[who]['posed_rms'] for r in full):.1f} ‰" for who in ("auto", BLENDER)]
    return f"{README_ROW}: half L1, posed RMS of the size, mean of {len(full)} painted characters (some used in development) | {cells[0]} | Blender {cells[1]} |"


def replace_row(path, row):
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    places = [i for i, line in enumerate(lines) if line.startswith(README_ROW)]
    if len(places) != 1:
        raise SystemExit(f"{path} has no single row that begins with '{README_ROW}'.")
    lines[places[0]] = row
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines))


def replace_table(path, lines):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    begin, end = "<!-- table: agreement -->\n", "<!-- /table -->"
    if begin not in text or end not in text:
        raise SystemExit(f"{path} has no lines '{begin.strip()}' and '{end}'.")
    head, rest = text.split(begin, 1)
    tail = rest.split(end, 1)[1]
    with open(path, "w", encoding="utf-8") as file:
        file.write(head + begin + "\n" + "\n".join(lines).strip() + "\n\n" + end + tail)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sinew", required=True)
    parser.add_argument("--blender", default="blender", help="Blender's program, or 'none'")
    parser.add_argument("--data", action="append", default=[], help="a folder: all skinned characters below it (may be repeated)")
    parser.add_argument("--half", choices=["all", "development", "held-out"], default="all", help="which of the characters of --data")
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--timeout", type=float, default=300, help="most seconds for one run of a program")
    parser.add_argument("--json", help="keep all figures in this file")
    parser.add_argument("--page", help="a page whose table is replaced")
    parser.add_argument("--readme", help="a page whose row is replaced")
    parser.add_argument("characters", nargs="*")
    options = parser.parse_args()
    methods = options.methods.split(",")
    options.blender = None if options.blender == "none" else shutil.which(options.blender)
    if options.blender is None:
        print("Blender is not installed: its column is left out.", file=sys.stderr)
    columns = methods + ([BLENDER] if options.blender else [])
    everything, failures = {}, []
    if options.json and os.path.exists(options.json):
        with open(options.json, encoding="utf-8") as file:
            everything = json.load(file)
    paths = list(options.characters)
    for folder in options.data:
        paths += characters_below(folder, options.half)
    print(f"| character | vertices | joints | {' | '.join(columns)} |")
    print("|---|---|---|" + "---|" * len(columns))
    for path in paths:
        name = os.path.splitext(os.path.basename(path))[0]
        if all(column in everything.get(name, {}) for column in columns) or (options.data and not is_skinned(options, path)):
            continue
        everything[name] = measure_character(options, path, methods, failures)
        print(line_of(name, everything[name], columns), flush=True)
        if options.json:
            with open(options.json, "w", encoding="utf-8") as file:
                json.dump(everything, file, indent=1)
    for (half, kind), group in sorted(groups_of(everything).items()):
        print(f"\n{half}, {kind}: {len(group)} characters\n")
        print("\n".join(summary(group, columns)))
    for failure in failures:
        print(f"\n- {failure}")
    if options.page:
        replace_table(options.page, page(everything, columns))
    if options.readme:
        replace_row(options.readme, readme_row(everything))
    return 1 if failures or not everything else 0


if __name__ == "__main__":
    sys.exit(main())
