#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sinew authors

"""weights_test.py PROGRAM [TEST…]: weights on the command line."""

import json
import math
import os
import struct
import sys
import unittest

import cli_test


def read_glb(data):
    """The JSON and the binary chunk of a GLB."""
    length = struct.unpack_from("<I", data, 12)[0]
    return json.loads(data[20:20 + length]), bytearray(data[20 + length + 8:])


def write_glb(document, binary):
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    binary += b"\0" * (-len(binary) % 4)
    return (struct.pack("<III", 0x46546C67, 2, 28 + len(text) + len(binary)) + struct.pack("<II", len(text), 0x4E4F534A) + text
            + struct.pack("<II", len(binary), 0x004E4942) + bytes(binary))


def weight_rows(document, binary):
    """Offset of the first row, count and bytes from row to row of the float weights of the first mesh."""
    accessor = document["accessors"][document["meshes"][0]["primitives"][0]["attributes"]["WEIGHTS_0"]]
    view = document["bufferViews"][accessor["bufferView"]]
    assert accessor["componentType"] == 5126
    return view.get("byteOffset", 0) + accessor.get("byteOffset", 0), accessor["count"], view.get("byteStride", 16)


class Weights(cli_test.Cli):
    def setUp(self):
        super().setUp()
        self.expect(0, "make", "human", "-o", "hero.glb", "--vertices", "2000", "--quiet")

    def report(self, *words, code=0):
        return json.loads(self.expect(code, "weights", *words, "--json").stdout)

    def spoil(self, name, change):
        """Writes a copy of hero.glb with rows changed: change(i) gives four weights or None."""
        document, binary = read_glb(self.read("hero.glb"))
        first, count, stride = weight_rows(document, binary)
        spoiled = 0
        for i in range(count):
            row = struct.unpack_from("<4f", binary, first + i * stride)
            now = change(i, row)
            if now is not None:
                struct.pack_into("<4f", binary, first + i * stride, *now)
                spoiled += 1
        with open(self.path(name), "wb") as file:
            file.write(write_glb(document, binary))
        return spoiled

    def test_operations_run_in_the_order_written(self):
        for words, order in ((("--smooth", "2", "--prune", "0.1"), ["smooth", "prune"]),
                             (("--prune", "0.1", "--smooth", "2"), ["prune", "smooth"]),
                             (("--max-influences", "2", "--prune=0.1", "--repair", "--smooth", "2"), ["prune", "repair", "smooth", "cap"])):
            report = self.report("hero.glb", *words, "--dry-run")
            # Smoothing may make rows too long, which are then cut.
            self.assertEqual([step["operation"] for step in report["metrics"]["operations"]][:len(order)], order)
            self.write("again.json", json.dumps(report))
            again = self.report("hero.glb", "--config", "again.json")
            self.assertEqual(again["metrics"], report["metrics"])
            self.assertEqual(again["options"], report["options"])
        self.assertNotIn("hero_weights.glb", self.names())

    def test_flags_of_the_command_line_come_after_those_of_a_configuration(self):
        self.write("steps.json", json.dumps({"smooth": 1, "prune": 0.1, "order": ["smooth", "prune"]}))
        report = self.report("hero.glb", "--config", "steps.json", "--repair", "--dry-run")
        self.assertEqual([step["operation"] for step in report["metrics"]["operations"]], ["smooth", "prune", "repair"])

    def test_planted_faults_are_found_and_mended_and_nothing_else(self):
        spoiled = self.spoil("bad.glb", lambda i, row: [(math.nan, *row[1:]), (0, 0, 0, 0), [0.5 * w for w in row]][i % 20]
                             if i % 20 < 3 else None)
        self.assertGreater(spoiled, 100)
        report = self.report("bad.glb", "--repair", "--compare", "hero.glb")
        found = report["metrics"]["operations"][0]["found"]
        self.assertEqual(sum(found.values()), spoiled)
        self.assertGreater(found["not_finite"] * found["unweighted"] * found["wrong_sum"], 0)
        self.assertEqual(report["metrics"]["changes"]["vertices"], spoiled)
        self.assertLess(report["metrics"]["compare"]["mean_half_l1"], 0.015)
        # All but the weights is as it was.
        before, after = (read_glb(self.read(name))[0] for name in ("bad.glb", "bad_weights.glb"))
        for key in before:
            if key not in ("accessors", "bufferViews", "buffers", "meshes"):
                self.assertEqual(before[key], after[key], key)

    def test_a_side_is_mirrored_onto_the_other(self):
        self.expect(0, "weights", "hero.glb", "--mirror", "left-to-right", "-o", "even.glb")
        report = self.report("even.glb", "--symmetrize", "--dry-run")
        worst = max([joint["largest_change"] for joint in report["metrics"]["changes"]["joints"]], default=0)
        self.assertLess(worst, 0.02)

    def test_people_read_what_happened_and_what_capping_cost(self):
        text = self.expect(0, "weights", "hero.glb", "--smooth", "3", "--max-influences", "2", "-o", "two.glb").stdout
        for words in ("smooth", "cap", "rows cut", "moves by", "changed", "wrote", "next: sinew info"):
            self.assertIn(words, text)
        text = self.expect(0, "weights", "hero.glb", "--prune", "0.2", "--dry-run").stdout
        for words in ("weight before", "LeftForearm", "nothing was written"):
            self.assertIn(words, text)

    def test_the_same_bytes_for_any_number_of_threads(self):
        files = []
        for threads in ("1", "2"):
            self.expect(0, "weights", "hero.glb", "--repair", "--smooth", "2", "--symmetrize", "-o", "out.glb", "--force", "--threads", threads)
            files.append(self.read("out.glb"))
        self.assertEqual(files[0], files[1])

    def test_bad_requests_are_one_sentence_and_write_nothing(self):
        before = self.names()
        for words in (["hero.glb"], ["none.glb", "--repair"], ["cube.obj", "--repair"], ["hero.glb", "--smooth", "0"],
                      ["hero.glb", "--prune", "2"], ["hero.glb", "--mirror", "up"], ["hero.glb", "--smooth", "1", "--lock", "Nobody"],
                      ["hero.glb", "--smooth", "1", "-o", "out.obj"], ["hero.glb", "--order", "smooth"], ["hero.glb", "--compare", "cube.obj"],
                      ["hero.glb", "--smooth", "1", "-o", "nowhere/out.glb"]):
            result = self.expect(2, "weights", *words)
            self.assertTrue(result.stderr.startswith("sinew: "), result.stderr)
            self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertEqual(self.names(), before)


if __name__ == "__main__":
    cli_test.PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
