#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sinew authors

"""isa_test.py PROGRAM: SINEW_ISA pins the instruction set, the report names it, and wrong words are refused."""

import json
import os
import subprocess
import unittest

import command_case


class Isa(command_case.CommandCase):
    COMMAND = "deform"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.prepare("make", "cylinder", "--vertices", "400", "-o", "tube.glb")

    def run_on(self, isa, *words):
        environment = {**os.environ, "SINEW_ISA": isa}
        return subprocess.run([command_case.PROGRAM, *words], cwd=self.folder, capture_output=True, text=True, timeout=240,
                              env=environment, check=False)

    def test_every_report_names_the_instruction_set(self):
        best = json.loads(self.run_on("best", "info", "tube.glb", "--json").stdout)["isa"]
        self.assertIn(best, ("baseline", "ssse3", "sse4", "avx2", "avx3"))
        self.assertEqual(json.loads(self.run_on("", "info", "tube.glb", "--json").stdout)["isa"], best)

    def test_a_pinned_set_deforms_and_is_named_and_one_beyond_the_processor_is_refused(self):
        known = ("baseline", "ssse3", "sse4", "avx2", "avx3")
        best = json.loads(self.run_on("best", "info", "tube.glb", "--json").stdout)["isa"]
        for isa in known:
            result = self.run_on(isa, "deform", "tube.glb", "--clip", "exercise", "-o", f"{isa}.pc2", "--json")
            if known.index(isa) <= known.index(best):
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertEqual(json.loads(result.stdout)["isa"], isa)
            else:
                self.assertEqual(result.returncode, 2)
                self.assertIn(f"does not support the instruction set '{isa}'", result.stderr)

    def test_an_unknown_word_is_refused_by_a_sentence(self):
        result = self.run_on("avx22", "info", "tube.glb")
        self.assertEqual(result.returncode, 2)
        self.assertIn("SINEW_ISA: Unknown instruction set 'avx22'", result.stderr)
        self.assertIn("Did you mean 'avx2'?", result.stderr)

    @unittest.skipIf("SINEW_SANITIZED" in os.environ, "Highway checks more when sanitized, with functions of its library")
    def test_the_program_does_not_load_highway(self):
        # Its loading alone takes 3.5 ms of every start.
        loaded = subprocess.run([command_case.PROGRAM], env={**os.environ, "LD_TRACE_LOADED_OBJECTS": "1"},
                                capture_output=True, text=True, check=True).stdout
        self.assertIn("libembree", loaded)
        self.assertNotIn("libhwy", loaded)


if __name__ == "__main__":
    command_case.main()
