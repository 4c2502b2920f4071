# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sinew authors

"""Does Blender put the vertices of what `sinew deform` writes where Sinew puts them?

run_blender.py --sinew PROGRAM --blender PROGRAM --work FOLDER [FILE:CLIP…]

For a made human, the same with helper joints, and for every file named: writes the clip as GLB (which Blender plays by itself) and as a
point cache (where Sinew says the vertices are), and compares them at three times. Fails when they differ by more than 1e-4 of the size.
"""

import argparse
import json
import pathlib
import struct
import subprocess
import sys

import numpy as np

FPS = 12


def read_cache(path):
    data = path.read_bytes()
    signature, version, points, start, rate, samples = struct.unpack("<12siiffi", data[:32])
    assert signature == b"POINTCACHE2\0" and version == 1 and start == 0 and rate == 1, path
    return np.frombuffer(data[32:], "<f4").reshape(samples, points, 3)


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} gave {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def check(arguments, file, clip, name, method, as_it_is=False, frames=None, tolerance=None):
    """With `as_it_is` Blender plays the file itself, and not what `sinew deform` makes of it. Key shapes are asked to be within half of
    `tolerance`, if it is given, and must come out within it."""
    glb = file if as_it_is else arguments.work / f"{name}_{method}.glb"
    cache = arguments.work / f"{name}_{method}.pc2"
    common = ["--method", method, "--clip", clip, "--fps", FPS, "--force", "--quiet"]
    common += ["--frames", frames] if frames else []
    if not as_it_is:
        run(arguments.sinew, "deform", file, *common, *(["--tolerance", tolerance / 2] if tolerance else []), "-o", glb)
    run(arguments.sinew, "deform", file, *common, "--caches", "whole", "-o", cache)
    ours = read_cache(cache)
    size = float(np.linalg.norm(ours[0].max(axis=0) - ours[0].min(axis=0)))
    played = f"{clip} {frames}" if frames else clip
    frames = sorted({0, len(ours) // 3, 2 * len(ours) // 3})
    out = arguments.work / f"{name}_{method}.json"
    run(arguments.blender, "-b", "--factory-startup", "--python-exit-code", 1, "--python",
        pathlib.Path(__file__).parent / "evaluate_in_blender.py", "--", glb, played, out, *[f / FPS for f in frames])
    worst = 0.0
    for frame, meshes in zip(frames, json.loads(out.read_text())):
        theirs = np.concatenate([np.array(meshes[mesh]) for mesh in arguments.order(meshes)])
        if theirs.shape != ours[frame].shape:
            sys.exit(f"{name}: Blender has {len(theirs)} vertices, Sinew {len(ours[frame])}")
        worst = max(worst, float(np.abs(theirs - ours[frame]).max()) / size)
    tolerance = tolerance or (1e-4 if method == "lbs" else 2e-3)  # Key shapes are asked to be within 1e-3 of the size.
    print(f"{name}, {clip}, {method}: {len(ours[0])} vertices, {len(frames)} times, at most {worst:.2e} of the size apart")
    if worst > tolerance:
        sys.exit(f"{name}: Blender and Sinew differ by {worst:.2e} of the size")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sinew", required=True)
    parser.add_argument("--blender", required=True)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("files", nargs="*")
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    # One part each, so that the order of parts is no question.
    arguments.order = sorted
    made = arguments.work / "human.glb"
    run(arguments.sinew, "make", "human", "-o", made, "--force", "--quiet")
    check(arguments, made, "walk", "human", "lbs")
    check(arguments, made, "wave", "human", "dqs")
    # Tetrahedra: the walk's strides, in shapes so near that what Blender does to them is all that can show.
    check(arguments, made, "walk", "human", "pbd", frames="0:6", tolerance=1e-4)
    # Helper joints: Blender knows nothing of drivers and plays what was baked into the clip.
    moving, helped = arguments.work / "human_moving.glb", arguments.work / "human_helpers.glb"
    run(arguments.sinew, "deform", made, "--clip", "exercise", "-o", moving, "--force", "--quiet")
    run(arguments.sinew, "helpers", moving, "--twist", "forearm,upperarm,thigh", "--bend", "elbow,knee", "-o", helped, "--force", "--quiet")
    check(arguments, helped, "exercise", "human_helpers", "lbs", as_it_is=True)
    for word in arguments.files:
        file, clip = word.rsplit(":", 1)
        check(arguments, pathlib.Path(file), clip, pathlib.Path(file).stem, "lbs")


main()
