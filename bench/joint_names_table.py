#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sinew authors

"""How many main joints of rigged characters `sinew skeleton --names auto` would name rightly without their names.

    bench/joint_names_table.py --sinew build/release/bin/sinew FILE…

The truth is the role that the name of a joint tells. Main joints are hips, neck, head, and on both sides upper arm,
forearm, hand, thigh, shin and foot, as far as names tell them. Joints of the trunk count as right if they are called spine or
chest. A joint that gets the role of the other side is counted apart."""

import argparse
import json
import os
import subprocess

LIMBS = ("upper_arm", "forearm", "hand", "thigh", "shin", "foot")


def is_main(role):
    return role in ("hips", "neck", "head") or (role.startswith(("left_", "right_")) and role.split("_", 1)[1] in LIMBS)


def other_side(role):
    if role.startswith("left_"):
        return "right_" + role[5:]
    return "left_" + role[6:] if role.startswith("right_") else role


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sinew", default="build/release/bin/sinew")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("files", nargs="+")
    arguments = parser.parse_args()
    total = right_total = swapped_total = 0
    for path in arguments.files:
        result = subprocess.run([arguments.sinew, "skeleton", path, "--json"], capture_output=True, text=True)
        name = os.path.basename(path)
        if result.returncode not in (0, 1):
            print(f"{name:34} {result.stderr.strip().splitlines()[-1:]}")
            continue
        joints = json.loads(result.stdout)["metrics"]["joints"]
        main_joints = [j for j in joints if is_main(j["role_by_name"])]
        wrong = [j for j in main_joints if j["role_by_shape"] != j["role_by_name"]]
        swapped = [j for j in joints if j["role_by_name"] and j["role_by_name"] != other_side(j["role_by_name"])
                   and j["role_by_shape"] == other_side(j["role_by_name"])]
        total += len(main_joints)
        right_total += len(main_joints) - len(wrong)
        swapped_total += len(swapped)
        print(f"{name:34} {len(main_joints) - len(wrong):3} of {len(main_joints):3}, sides exchanged {len(swapped)}")
        if arguments.verbose:
            for joint in wrong:
                print(f"    {joint['name']:28} {joint['role_by_name']:18} {joint['role_by_shape'] or '-'}")
            by_name = {j["role_by_name"] for j in main_joints}
            for joint in joints:
                if joint["role_by_shape"] in by_name and joint["role_by_name"] != joint["role_by_shape"]:
                    print(f"      {joint['name']:26} is called {joint['role_by_shape']}")
    if total:
        print(f"{'all':34} {right_total:3} of {total:3} ({100 * right_total / total:.1f} %), sides exchanged {swapped_total}")


if __name__ == "__main__":
    main()
