# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sinew authors

"""What the tests of single commands share: a folder for all tests of a class, runs of the program in it, refusals."""

import json
import os
import struct
import subprocess
import sys
import tempfile
import unittest

PROGRAM = ""


class CommandCase(unittest.TestCase):
    COMMAND = ""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix=f"sinew-{cls.COMMAND}-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name

    @classmethod
    def prepare(cls, *words):
        subprocess.run([PROGRAM, *words, "--quiet"], cwd=cls.folder, check=True)

    def sinew(self, *words):
        return subprocess.run([PROGRAM, *words], cwd=self.folder, capture_output=True, text=True, timeout=240, check=False)

    def expect(self, code, *words):
        result = self.sinew(self.COMMAND, *words)
        self.assertEqual(result.returncode, code, f"{words}\n{result.stdout}\n{result.stderr}")
        return result

    def read(self, name):
        with open(os.path.join(self.folder, name), "rb") as file:
            return file.read()

    def document(self, name):
        """The JSON of a GLB."""
        data = self.read(name)
        (length,) = struct.unpack_from("<I", data, 12)
        return json.loads(data[20:20 + length])

    def refuse(self, *words, says):
        """One sentence that has these words, exit code 2, and nothing written."""
        before = sorted(os.listdir(self.folder))
        result = self.expect(2, *words)
        for word in says if isinstance(says, tuple) else (says,):
            self.assertIn(word, result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertEqual(sorted(os.listdir(self.folder)), before)


def main():
    global PROGRAM
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
