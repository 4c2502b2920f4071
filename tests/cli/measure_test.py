#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sinew authors

"""measure_test.py PROGRAM [TEST…]: measure and reproduce on the command line."""

import json
import os
import sys
import unittest

import cli_test


class Measuring(cli_test.Cli):
    def setUp(self):
        super().setUp()
        self.expect(0, "make", "cylinder", "-o", "limb.glb", "--joint-count", "3", "--layers", "24", "--quiet")

    def test_a_table_for_people_names_the_worst_frame_and_joint(self):
        text = self.expect(0, "measure", "limb.glb", "--clip", "exercise", "--fps", "4").stdout
        for words in ("volume lost", "thinnest section", "in frame", "Joint1", "next: sinew"):
            self.assertIn(words, text)

    def test_json_has_every_frame_and_two_runs_differ_in_timing_only(self):
        words = ("measure", "limb.glb", "--clip", "exercise", "--frames", "0:2", "--fps", "4", "--json")
        reports = [json.loads(self.expect(0, *words, "--threads", threads).stdout) for threads in ("1", "2")]
        self.assertEqual(len(reports[0]["metrics"]["frames"]), 3)
        for report in reports:
            del report["timing"]
        self.assertEqual(reports[0], reports[1])

    def test_csv_has_a_line_per_frame_and_replaces_no_file_unless_forced(self):
        words = ("measure", "limb.glb", "--clip", "exercise", "--frames", "1", "--csv", "table.csv")
        self.expect(0, *words)
        self.assertEqual(len(self.read("table.csv").splitlines()), 2)
        self.assertIn("--force", self.expect(2, *words).stderr)
        self.expect(0, *words, "--force")

    def test_another_file_is_compared_vertex_by_vertex(self):
        self.expect(0, "convert", "limb.glb", "-o", "one.glb", "--max-influences", "1")
        report = json.loads(self.expect(0, "measure", "limb.glb", "--against", "one.glb", "--json").stdout)
        self.assertIn("distance_max_m", report["metrics"]["summary"])
        self.assertGreater(report["metrics"]["agreement"]["mean_half_l1"], 0)

    def test_bad_requests_are_one_sentence_and_exit_code_2(self):
        for words in (["limb.glb", "--clip", "nothing"], ["limb.glb", "--method", "magic"], ["none.glb"],
                      ["limb.glb", "--against", "cube.obj"], ["limb.glb", "--frames", "0:1"], ["cube.obj", "--clip", "walk"],
                      ["limb.glb", "--pose", "none.json"], ["limb.glb", "--csv", "table.txt"]):
            result = self.expect(2, "measure", *words)
            self.assertTrue(result.stderr.startswith("sinew: "), result.stderr)
            self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertNotIn("table.txt", self.names())


class Reproducing(cli_test.Cli):
    def test_the_bar_comes_out_within_its_bounds(self):
        text = self.expect(0, "reproduce", "blend-bar", "--strict").stdout
        for words in ("Table III", "Table IV", "Table V", "13.404", "14.432", "segmentation"):
            self.assertIn(words, text)

    def test_tables_are_written_by_their_ending(self):
        self.expect(0, "reproduce", "blend-bar", "-o", "bar.md", "--runs", "0")
        self.expect(0, "reproduce", "blend-bar", "-o", "bar.csv", "--runs", "0")
        self.assertTrue(self.read("bar.md").startswith(b"# "))
        self.assertTrue(self.read("bar.csv").startswith(b"table,row,column,value\n"))
        self.assertIn("blend-bar", self.expect(2, "reproduce", "bar").stderr)
        self.expect(2, "reproduce", "blend-bar", "-o", "bar.txt")


if __name__ == "__main__":
    cli_test.PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
