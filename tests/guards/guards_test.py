#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sinew authors

"""Tests of the guards: each finds every kind of violation planted in a small project, and fails when it sees no file."""

import contextlib
import io
import os
import shutil
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import guards

SPDX = "SPDX-License-Identifier: Apache-2.0", "SPDX-FileCopyrightText: The Sinew authors"


def head(mark):
    return "".join(f"{mark} {line}\n" for line in SPDX)


# A project in which all is well.
CLEAN = {
    ".clang-format": head("#") + "BasedOnStyle: Google\n",
    "src/sinew/CMakeLists.txt": head("#") + "sinew_module(core\n  PUBLIC Eigen3::Eigen)\nsinew_module(geometry USES core PRIVATE embree)\n"
                                            "sinew_module(motion USES core)\nsinew_module(io USES core geometry)\nsinew_module(jobs USES core)\n",
    "src/sinew/core/math.h": head("//") + "#include <Eigen/Core>\n",
    "src/sinew/core/report.h": head("//") + "#include <chrono>\n",
    "src/sinew/public_headers.txt": head("#") + "sinew/core/math.h\nsinew/core/report.h\nsinew/geometry/tree.h\n",
    "src/sinew/geometry/branch.h": head("//") + "int branch();\n",
    "src/sinew/geometry/tree.h": head("//") + '#include "sinew/core/math.h"\n',
    "src/sinew/geometry/tree.cpp": head("//") + '#include "sinew/geometry/tree.h"\n\n#include <embree3/rtcore.h>\n',
    "src/sinew/motion/ik.cpp": head("//") + '#include "sinew/core/math.h"\n// printf("in a comment")\n',
    "src/sinew/io/file.cpp": head("//") + '#include <fstream>\n\n#include "sinew/core/math.h"\n#include "sinew/geometry/tree.h"\n',
    "apps/sinew/main.cpp": head("//") + '#include "sinew/core/report.h"\n#include "sinew/jobs/job.h"\n',
    "src/sinew/jobs/job.cpp": head("//") + '#include "sinew/core/report.h"\n',
    "demo": "#!/usr/bin/env bash\n" + head("#"),
    "web/package-lock.json": '{ "packages": { "three": { "version": "0.1" } } }\n',
    "docs/README.md": "".join(f"<!-- {line} -->\n" for line in SPDX) + "[A page](page.md#a-heading), [a folder](../src), [a site](https://x.org).\n",
    "docs/page.md": "".join(f"<!-- {line} -->\n" for line in SPDX) + "# A heading\n\n[Here](#a-heading).\n",
    "LICENSE": "Apache License\n",
}

SLASH = "/"
# Guard, file, text put at its end (or the whole file, when there is none of that name).
PLANTED = [
    ("layers", "src/sinew/core/math.h", '#include "sinew/geometry/tree.h"\n'),
    ("layers", "src/sinew/motion/ik.cpp", '#include "sinew/geometry/tree.h"\n'),
    ("layers", "src/sinew/motion/ik.cpp", '  #  include <sinew/io/file.h>\n'),
    ("layers", "src/sinew/geometry/tree.cpp", '#include "tree.h"\n'),
    ("layers", "src/sinew/rogue/new.cpp", head("//")),
    ("layers", "src/sinew/CMakeLists.txt", "sinew_module(deform USES binding)\nsinew_module(binding USES deform)\n"),
    ("uses", "src/sinew/CMakeLists.txt", "sinew_module(deform USES core geometry)\n"),
    ("headers", "src/sinew/geometry/tree.h", "#include <embree3/rtcore.h>\n"),
    ("headers", "src/sinew/geometry/tree.h", "#include <oneapi/tbb/parallel_for.h>\n"),
    ("headers", "src/sinew/geometry/tree.h", "#include <tbb/tbb.h>\n"),
    ("headers", "src/sinew/geometry/tree.h", "#include <assimp/scene.h>\n"),
    ("headers", "src/sinew/geometry/tree.h", "#include <libqhullcpp/Qhull.h>\n"),
    ("headers", "src/sinew/geometry/tree.h", "#include <hwy/highway.h>\n"),
    ("headers", "src/sinew/geometry/tree.h", "#include <meshoptimizer.h>\n"),
    ("headers", "src/sinew/geometry/tree.h", "#include <draco/mesh/mesh.h>\n"),
    ("headers", "src/sinew/geometry/tree.h", "#include <Eigen/Sparse>\n"),
    ("apps", "apps/sinew/main.cpp", '#include "sinew/geometry/tree.h"\n'),
    ("purity", "src/sinew/motion/ik.cpp", "#include <fstream>\n"),
    ("purity", "src/sinew/motion/ik.cpp", 'void f() { std::cout << 1; }\n'),
    ("purity", "src/sinew/motion/ik.cpp", 'void f() { fopen("x", "r"); }\n'),
    ("purity", "src/sinew/motion/ik.cpp", 'void f() { std::printf("x"); }\n'),
    ("purity", "src/sinew/motion/ik.cpp", "auto t = std::chrono::steady_clock::now();\n"),
    ("purity", "src/sinew/geometry/tree.h", "#include <chrono>\n"),
    ("purity", "src/sinew/core/math.h", "int r = std::random_device()();\n"),
    ("licences", "src/sinew/motion/new.cpp", "int x;\n"),
    ("licences", "src/sinew/motion/new.h", "// SPDX-License-Identifier: Apache-2.0\n"),
    ("licences", "scripts/new", "#!/bin/sh\n"),
    ("licences", "web/src/new.ts", "let x;\n"),
    ("licences", "docs/new.md", "# New\n"),
    ("licences", "tests/new/CMakeLists.txt", "project(x)\n"),
    ("machine_paths", "docs/README.md", f"See {SLASH}work{SLASH}main.\n"),
    ("machine_paths", "src/sinew/motion/ik.cpp", f'const char* p = "{SLASH}home{SLASH}me/x";\n'),
    ("machine_paths", "web/package-lock.json", f'{{"x": "{SLASH}tmp{SLASH}y"}}\n'),
    ("unfinished", "src/sinew/motion/ik.cpp", "// TO" + "DO later\n"),
    ("unfinished", "docs/README.md", "FIX" + "ME\n"),
    ("unfinished", "demo", "# a st" + "ub\n"),
    ("pi", "src/sinew/motion/ik.cpp", "double half_turn = 3.14159;\n"),
    ("pi", "src/sinew/geometry/tree.cpp", "double turn = 2 * std::numbers::pi;\n"),
    ("pi", "apps/sinew/main.cpp", "double turn = 2 * M_PI;\n"),
    ("pi", "src/sinew/motion/ik.cpp", "constexpr double kArmPi = 4 * atan_of_one;\n"),
    ("pi", "src/sinew/motion/ik.cpp", "constexpr double kDegree = 0.0174;\n"),
    ("jobs", "src/sinew/jobs/job.cpp", '#include "sinew/geometry/tree.h"\n'),
    ("jobs", "src/sinew/jobs/job.cpp", 'bool f(const char* id) { return std::string(id) == "pbd"; }\n'),
    ("jobs", "src/sinew/jobs/job.cpp", "\n" * 6501),
    ("registries", "web/package-lock.json", '"resol' + 'ved": "ht' + 'tps:' + '//registry.npm' + 'js.org/three.tgz"\n'),
    ("public_headers", "src/sinew/io/file.cpp", '#include "sinew/geometry/branch.h"\n'),
    ("public_headers", "src/sinew/geometry/tree.h", '#include "sinew/geometry/branch.h"\n'),
    ("public_headers", "examples/one/main.cpp", '#include <sinew/geometry/branch.h>\n'),
    ("public_headers", "src/sinew/public_headers.txt", "sinew/geometry/gone.h\n"),
    ("formatting", "src/sinew/motion/ik.cpp", "int  x;\n"),
    ("formatting", "src/sinew/core/math.h", "#include <b.h>\n#include <a.h>\n"),
    ("registries", "docs/README.md", "Get it from py" + "pi.org.\n"),
    ("links", "docs/README.md", "See [this](missing.md).\n"),
    ("links", "docs/README.md", "![A picture](images/missing.png)\n"),
    ("links", "docs/README.md", "See [this](page.md#no-such-heading).\n"),
    ("links", "docs/page.md", "See [this](#no-such-heading).\n"),
    ("links", "src/sinew/motion/ik.cpp", "// docs/" + "missing.md has the schema.\n"),
]


class GuardsTest(unittest.TestCase):
    def setUp(self):
        self.root = tempfile.mkdtemp(prefix="sinew-guards-")
        self.addCleanup(shutil.rmtree, self.root)
        for name, text in CLEAN.items():
            self.append(name, text)

    def append(self, name, text):
        path = os.path.join(self.root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "a", encoding="utf-8") as file:
            file.write(text)

    def run_guard(self, name):
        with contextlib.redirect_stdout(io.StringIO()) as output:
            code = guards.run(name, self.root)
        return code, output.getvalue()

    def test_a_clean_project_passes_every_guard(self):
        for name in guards.GUARDS:
            with self.subTest(guard=name):
                code, output = self.run_guard(name)
                self.assertEqual(code, 0, output)

    def test_every_guard_has_a_planted_violation(self):
        self.assertEqual({name for name, _, _ in PLANTED}, set(guards.GUARDS))

    def test_planted_violations_are_found_where_they_are(self):
        for name, file, text in PLANTED:
            with self.subTest(guard=name, file=file, text=text):
                path = os.path.join(self.root, file)
                before = CLEAN.get(file)
                self.append(file, text)
                code, output = self.run_guard(name)
                self.assertEqual(code, 1, output)
                self.assertIn(file, output)
                if before is None:
                    os.remove(path)
                else:
                    with open(path, "w", encoding="utf-8") as restored:
                        restored.write(before)

    def test_a_guard_that_reads_no_file_fails(self):
        empty = tempfile.mkdtemp(prefix="sinew-guards-")
        self.addCleanup(shutil.rmtree, empty)
        self.root = empty
        for name in guards.GUARDS:
            with self.subTest(guard=name):
                code, output = self.run_guard(name)
                self.assertEqual(code, 2, output)


    def test_a_missing_formatter_is_a_failure(self):
        self.addCleanup(setattr, guards, "FORMATTER", guards.FORMATTER)
        guards.FORMATTER = "clang-format-of-no-machine"
        code, output = self.run_guard("formatting")
        self.assertEqual(code, 2)
        self.assertIn("scripts/install-deps", output)


# The real tree, with a violation planted in a copy of it: what is declared there is really read.
class RealTreeTest(unittest.TestCase):
    def test_a_wrong_include_in_a_copy_of_the_sources_is_found(self):
        real = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
        with tempfile.TemporaryDirectory(prefix="sinew-guards-") as copy:
            shutil.copytree(os.path.join(real, "src"), os.path.join(copy, "src"))
            with contextlib.redirect_stdout(io.StringIO()) as output:
                self.assertEqual(guards.run("layers", copy), 0, output.getvalue())
            with open(os.path.join(copy, "src/sinew/core/mesh.h"), "a", encoding="utf-8") as file:
                file.write('#include "sinew/io/asset.h"\n')
            with contextlib.redirect_stdout(io.StringIO()) as output:
                self.assertEqual(guards.run("layers", copy), 1)
            self.assertIn("core may not use io", output.getvalue())


if __name__ == "__main__":
    unittest.main()
