#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sinew authors

"""Checks of the sources that no compiler makes.

    guards.py NAME [--root FOLDER]

NAME is one of the guards below, or `all`. Each prints what it found, one line per place, and how many files it read; the
exit code is 0 when nothing was found, 1 when something was, 2 when a guard read no file at all: a check that looks at
nothing must not pass. guards_test.py plants a violation of every kind and expects it to be found.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys

SOURCE_ENDINGS = (".h", ".cpp", ".c", ".S", ".in", ".py", ".sh", ".cmake", ".ts", ".js", ".mjs", ".css", ".html", ".md")
TEXT_ENDINGS = SOURCE_ENDINGS + (".json", ".txt", ".yml", ".yaml", ".toml", ".svg", ".gitignore", ".npmrc", "")
SKIPPED_FOLDERS = {".git", "build", "out", "node_modules", "__pycache__", "dist"}
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')


def project_files(root):
    """What belongs to the project: git's view where there is one, else every file outside build folders."""
    if os.path.exists(os.path.join(root, ".git")):
        listed = subprocess.run(["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                                capture_output=True, check=False)
        if listed.returncode == 0:
            names = [os.fsdecode(name) for name in listed.stdout.split(b"\0") if name]
            return sorted(name for name in names if os.path.isfile(os.path.join(root, name)))
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name not in SKIPPED_FOLDERS]
        found += [os.path.relpath(os.path.join(folder, name), root) for name in names]
    return sorted(found)


class Guard:
    """Files that were read, and what was found in them."""

    def __init__(self, root):
        self.root = root
        self.scanned = 0
        self.found = []

    def files(self, test):
        return [name for name in project_files(self.root) if test(name.replace(os.sep, "/"))]

    def lines(self, name):
        """Numbered lines of a text file."""
        with open(os.path.join(self.root, name), "rb") as file:
            data = file.read()
        if b"\0" in data:
            return []
        self.scanned += 1
        return list(enumerate(data.decode("utf-8", "replace").splitlines(), 1))

    def report(self, name, line, text):
        self.found.append(f"{name}:{line}: {text}")


def is_cpp(name):
    return name.endswith((".h", ".cpp", ".inl"))


def without_comments(lines):
    """Numbered lines with // and /* */ comments blanked. Strings stay."""
    inside = False
    for number, line in lines:
        if inside:
            end = line.find("*/")
            if end < 0:
                yield number, ""
                continue
            line, inside = line[end + 2:], False
        line = re.sub(r"/\*.*?\*/", "", line)
        start = line.find("/*")
        if start >= 0:
            line, inside = line[:start], True
        yield number, re.sub(r"(?<!:)//.*", "", line)


def modules_of(root):
    """Module name -> modules it may use, from the sinew_module() calls."""
    with open(os.path.join(root, "src/sinew/CMakeLists.txt"), encoding="utf-8") as file:
        text = re.sub(r"#.*", "", file.read())
    modules = {}
    for call in re.findall(r"sinew_module\(([^)]*)\)", text):
        words = call.split()
        uses, active = [], False
        for word in words[1:]:
            if word in ("USES", "PRIVATE", "PUBLIC", "ALONE"):
                active = word == "USES"
            elif active:
                uses.append(word)
        modules[words[0]] = uses
    return modules


def layers(guard):
    """A module includes only itself and the modules it declares; the declarations have no cycle."""
    modules = modules_of(guard.root)
    done = []
    for name, uses in modules.items():  # Lowest first, as the file lists them: so there is no cycle.
        for other in uses:
            if other not in done:
                guard.report("src/sinew/CMakeLists.txt", 1, f"module {name} uses {other}, which is not declared before it")
        done.append(name)
    for file in guard.files(lambda n: n.startswith("src/sinew/") and is_cpp(n)):
        module = file.split("/")[2]
        if file == "src/sinew/sinew.h":  # Includes what most programs need, of every module.
            continue
        if module not in modules:
            guard.report(file, 1, f"the folder {module} is no declared module")
            continue
        for number, line in without_comments(guard.lines(file)):
            match = INCLUDE.match(line)
            if not match or not (match[1] or match[2]).startswith("sinew/"):
                if match and match[1] and not match[1].startswith("sinew/"):
                    guard.report(file, number, f'include "{match[1]}" by its path from src: "sinew/…"')
                continue
            used = (match[1] or match[2]).split("/")[1]
            if used != module and used not in modules[module]:
                guard.report(file, number, f"{module} may not use {used}")


def uses(guard):
    """Every module that another one declares to use is included by it."""
    modules = modules_of(guard.root)
    included = {name: set() for name in modules}
    for file in guard.files(lambda n: n.startswith("src/sinew/") and is_cpp(n) and n.split("/")[2] in modules):
        for _, line in without_comments(guard.lines(file)):
            match = INCLUDE.match(line)
            if match and (match[1] or match[2]).startswith("sinew/"):
                included[file.split("/")[2]].add((match[1] or match[2]).split("/")[1])
    for name, used in modules.items():
        for other in used:
            if other not in included[name]:
                guard.report("src/sinew/CMakeLists.txt", 1, f"module {name} declares that it uses {other}, but does not")


FOREIGN = re.compile(r"^(tbb/|oneapi/|embree|assimp/|libqhull|hwy/|meshoptimizer|draco/|fmt/|CLI/|spdlog/|boost/)")


def headers(guard):
    """Foreign libraries stay out of headers; Eigen comes through core/math.h alone."""
    for file in guard.files(lambda n: n.startswith("src/sinew/") and n.endswith(".h")):
        for number, line in without_comments(guard.lines(file)):
            match = INCLUDE.match(line)
            if not match:
                continue
            header = match[1] or match[2]
            if FOREIGN.match(header):
                guard.report(file, number, f"<{header}> may not reach a header")
            if header.startswith("Eigen/") and file != "src/sinew/core/math.h":
                guard.report(file, number, f"<{header}> reaches headers through core/math.h alone")
            if header.startswith("nlohmann/") and file != "src/sinew/core/json.h":
                guard.report(file, number, f"<{header}> reaches headers through core/json.h alone")


def apps(guard):
    """Programs parse, call and print: of the library they see jobs and core."""
    for file in guard.files(lambda n: n.startswith("apps/") and is_cpp(n)):
        for number, line in without_comments(guard.lines(file)):
            match = INCLUDE.match(line)
            if match and (match[1] or match[2]).startswith("sinew/"):
                module = (match[1] or match[2]).split("/")[1]
                if module not in ("core", "jobs"):
                    guard.report(file, number, f"a program may use core and jobs, not {module}")


IMPURE = [
    (re.compile(r"#\s*include\s*<(fstream|iostream|cstdio|stdio\.h|fcntl\.h|unistd\.h|filesystem)>"), "opens files or prints"),
    (re.compile(r"\b(std::)?(fopen|freopen|printf|fprintf|puts|putchar|perror)\s*\("), "opens files or prints"),
    (re.compile(r"\bstd::(cout|cerr|clog|ifstream|ofstream|fstream)\b"), "opens files or prints"),
    (re.compile(r"\bfmt::print\b"), "prints"),
    (re.compile(r"\bstd::random_device\b|\b(std::)?s?rand\s*\("), "is not the same twice"),
    (re.compile(r"\b(std::)?getenv\s*\("), "reads the environment"),
]
CLOCK = re.compile(r"#\s*include\s*<(chrono|ctime|time\.h|sys/time\.h)>|\bstd::chrono\b|\bclock_gettime\b")
CLOCK_ALLOWED = ("src/sinew/core/report.h", "src/sinew/core/report.cpp")


def purity(guard):
    """Only io, picture, the experiments and the commands open files, print or read a clock."""
    for file in guard.files(lambda n: n.startswith("src/sinew/") and is_cpp(n) and n.split("/")[2] not in ("io", "picture", "lab", "jobs", "batch", "studio")):
        for number, line in without_comments(guard.lines(file)):
            for pattern, why in IMPURE:
                if pattern.search(line):
                    guard.report(file, number, f"{line.strip()}: {why}; only io may")
            if CLOCK.search(line) and file not in CLOCK_ALLOWED:
                guard.report(file, number, f"{line.strip()}: only core/report reads a clock")


def is_source(name):
    base = os.path.basename(name)
    if base in ("LICENSE", "NOTICE"):
        return False
    return name.endswith(SOURCE_ENDINGS) or base == "CMakeLists.txt"


def licences(guard):
    """Every source names its licence and its owners at the top."""
    for file in guard.files(lambda n: is_source(n) or "." not in os.path.basename(n)):
        if os.path.basename(file) in ("LICENSE", "NOTICE"):
            continue
        lines = guard.lines(file)
        if not lines:
            continue
        top = "\n".join(line for _, line in lines[:4])
        if not is_source(file) and not top.startswith("#!"):
            continue
        for tag in ("SPDX-License-Identifier: Apache-2.0", "SPDX-FileCopyrightText: The Sinew authors"):
            if tag not in top:
                guard.report(file, 1, f"the first lines do not say '{tag}'")


def is_text(name):
    base = os.path.basename(name)
    return os.path.splitext(base)[1] in TEXT_ENDINGS or base in (".gitignore", ".npmrc")


# Put together here, so that this file does not find itself.
MACHINE_PATH = re.compile(r"(?<![\w.$})/:-])/(?:" + "|".join(["work", "root", "home", "tmp", "Users", "mnt"]) + r")/\w")


def machine_paths(guard):
    """No path that exists on one machine only."""
    for file in guard.files(is_text):
        for number, line in guard.lines(file):
            if MACHINE_PATH.search(line):
                guard.report(file, number, f"a path of one machine: {line.strip()[:100]}")


UNFINISHED = re.compile(r"\b(" + "|".join(["TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK", "TB" + "D"]) + r")\b|\b(?i:st" + r"ub(s|bed)?)\b|"
                        + r"(?i:not (yet )?imple" + r"mented)")


def unfinished(guard):
    """Nothing half done is left behind."""
    for file in guard.files(is_text):
        for number, line in guard.lines(file):
            match = UNFINISHED.search(line)
            if match:
                guard.report(file, number, f"'{match[0]}': finish it or leave it out")


REGISTRY = re.compile(r"(?i)\b(registry\.[a-z0-9-]+\.[a-z]+|[a-z.]*npmjs\.(org|com)|[a-z.]*pypi\.org|files\.pythonhosted\.org|"
                      + r"[a-z.]*crates\.io|conan\.io|registry\.yarnpkg\.com|unpkg\.com|cdn\.jsdelivr\.net|cdnjs\.[a-z.]+)\b|"
                      + r'"resolved"\s*:\s*"http')


def registries(guard):
    """No host of a package registry, also not in a lock file: where packages come from is the machine's choice."""
    for file in guard.files(is_text):
        if file == "tests/guards/guards.py":
            continue
        for number, line in guard.lines(file):
            match = REGISTRY.search(line)
            if match:
                guard.report(file, number, f"names a package registry: {match[0]}")


PI = re.compile(r"(?<![\w.])(3\.1415|6\.2831|1\.57079|0?\.017453|57\.295)\d*|\bM_(1_)?PI(_\d)?\b|\bnumbers::pi\b|"
                + r"\bconst(expr)? (double|float|auto) (k\w*Pi|kDegree\w*|kRadian\w*) = ")
PI_ALLOWED = ("src/sinew/core/angles.h", "src/sinew/core/options.h",
              "src/sinew/deform/blend/kernels.cpp")  # Has a fitted coefficient near π.


def pi(guard):
    """π and degrees have one spelling, that of core/angles.h."""
    for file in guard.files(lambda n: is_cpp(n) and n not in PI_ALLOWED):
        for number, line in without_comments(guard.lines(file)):
            match = PI.search(line)
            if match:
                guard.report(file, number, f"'{match[0].strip()}': use kPi, radians() or degrees() of core/angles.h")


MARKDOWN_LINK = re.compile(r"\]\(([^)\s]+)\)")
NAMED_PAGE = re.compile(r"(?<![\w./-])docs/[\w./-]+\.(?:md|png)\b")
OUTSIDE = re.compile(r"[a-z]+:", re.I)


def anchors_of(lines):
    """The anchors of a Markdown page's headings, as GitHub makes them."""
    anchors, fenced = set(), False
    for _, line in lines:
        if line.startswith("```"):
            fenced = not fenced
        heading = None if fenced else re.match(r"#{1,6}\s+(.*?)\s*#*$", line)
        if heading:
            words = re.sub(r"[^\w\- ]", "", re.sub(r"\]\([^)]*\)", "", heading[1]).lower())
            anchors.add(words.replace(" ", "-"))
    return anchors


def links(guard):
    """Every relative link of a Markdown page leads to a file, and to a heading where it names one; so does every docs/ page
    that a source names."""
    known = set(project_files(guard.root))

    def check_target(file, number, link, folder):
        path, _, anchor = link.partition("#")
        target = os.path.normpath(os.path.join(folder, path)) if path else file
        if target not in known and not os.path.isdir(os.path.join(guard.root, target)):
            guard.report(file, number, f"a broken link: {link}")
        elif anchor and target.endswith(".md"):
            with open(os.path.join(guard.root, target), encoding="utf-8") as page:
                if anchor not in anchors_of(enumerate(page.read().splitlines(), 1)):
                    guard.report(file, number, f"a link to a heading that does not exist: {link}")

    for file in guard.files(lambda n: is_text(n) and not n.startswith("tests/guards/")):
        for number, line in guard.lines(file):
            if file.endswith(".md"):
                for link in MARKDOWN_LINK.findall(line):
                    if not OUTSIDE.match(link):
                        check_target(file, number, link, os.path.dirname(file))
            else:
                for page in NAMED_PAGE.findall(line):
                    check_target(file, number, page, "")


PUBLIC_LIST = "src/sinew/public_headers.txt"
NOT_INSTALLED = ("lab", "jobs", "batch", "mcp", "studio")  # Experiments and commands: the library does not contain them.


def public_uses(guard):
    """Header (from src/) -> the file and line that make it public: another module, a program, an example or the consumer test
    includes it, or a public header does."""
    files = guard.files(lambda n: is_cpp(n) and n.startswith(("src/sinew/", "apps/", "examples/", "tests/consumer/")))
    includes = {}
    for file in files:
        found = [(number, INCLUDE.match(line)) for number, line in without_comments(guard.lines(file))]
        includes[file] = [(number, match[1] or match[2]) for number, match in found if match]
    uses = {}
    for file in files:
        own = file.split("/")[2] if file.startswith("src/sinew/") else None
        for number, header in includes[file]:
            if header.startswith("sinew/") and "src/" + header in includes and header.split("/")[1] != own:
                uses.setdefault(header, (file, number))
    waiting = sorted(uses)
    while waiting:
        file = "src/" + waiting.pop()
        for number, header in includes[file]:
            if "src/" + header in includes and header not in uses:
                uses[header] = (file, number)
                waiting.append(header)
    return {header: use for header, use in uses.items() if header.split("/")[1] not in NOT_INSTALLED}


def listed_headers(root):
    """Line number and path of what `src/sinew/public_headers.txt` lists."""
    with open(os.path.join(root, PUBLIC_LIST), encoding="utf-8") as file:
        lines = [(number, line.strip()) for number, line in enumerate(file, 1)]
    return [(number, line) for number, line in lines if line and not line.startswith("#")]


def public_headers(guard):
    """Headers that others include are listed, which makes them installed and compiled alone; the rest are private."""
    listed = listed_headers(guard.root)
    uses = public_uses(guard)
    names = {header for _, header in listed}
    for header, (file, number) in sorted(uses.items()):
        if header not in names:
            guard.report(file, number, f'"{header}" is not in {PUBLIC_LIST}; scripts/public-headers adds it')
    for number, header in listed:
        if not os.path.exists(os.path.join(guard.root, "src", header)):
            guard.report(PUBLIC_LIST, number, f"there is no {header}; scripts/public-headers removes it")


FORMATTER = "clang-format-14"


def formatting(guard):
    """All C++ is as clang-format writes it. `scripts/format` mends it."""
    if not shutil.which(FORMATTER):
        raise FileNotFoundError(f"{FORMATTER} is missing; scripts/install-deps installs it")
    if not os.path.exists(os.path.join(guard.root, ".clang-format")):
        raise FileNotFoundError(".clang-format is missing")
    files = guard.files(is_cpp)
    guard.scanned += len(files)
    for begin in range(0, len(files), 64):
        result = subprocess.run([FORMATTER, "--dry-run", "--ferror-limit=1", *files[begin:begin + 64]], cwd=guard.root,
                                capture_output=True, text=True, check=False)
        for line in result.stderr.splitlines():
            match = re.match(r"(.+?):(\d+):\d+: (?:warning|error): ", line)
            if match:
                guard.report(match[1], match[2], "not as clang-format writes it; scripts/format mends it")
        if result.returncode != 0 and not guard.found:
            guard.report(files[begin], 1, f"{FORMATTER} failed: {result.stderr.strip()[:200]}")


# What jobs may include of the modules of algorithms: entry points and option types, nothing that computes step by step.
JOBS_MAY_INCLUDE = {
    "binding/binder.h", "deform/deformer.h", "deform/blend/linear.h", "measure/meter.h", "motion/clip_by_names.h",
    "motion/gestures/builtin_clips.h", "motion/player.h", "motion/pose_file.h", "motion/resample.h", "motion/resolve.h",
    "rigging/templates/template_file.h",
}
# The most lines of jobs for each registered command, on average.
JOBS_LINES_PER_COMMAND = 410
ALGORITHM_MODULES = ("geometry", "motion", "deform", "binding", "rigging", "measure", "transfer")
METHOD_ID = re.compile(r'[=!]= *"(pbd|slbs|dqs|lbs|implicit|ode|voxel|heat|segment|curves|biharmonic)"')


def jobs(guard):
    """A job reads, calls, formats and writes: jobs stays small, holds no algorithm, and does not know methods by their ids."""
    total = 0
    commands = 0
    for file in guard.files(lambda n: n.startswith(("src/sinew/jobs/", "src/sinew/pipeline/", "apps/")) and is_cpp(n)):
        in_jobs = file.startswith("src/sinew/jobs/")
        lines = guard.lines(file)
        total += len(lines) if in_jobs else 0
        commands += sum(".bind = binder(" in line for _, line in lines) if in_jobs else 0
        for number, line in without_comments(lines):
            match = INCLUDE.match(line)
            header = (match[1] or match[2]) if match else ""
            name = header.removeprefix("sinew/")
            if in_jobs and header != name and name.split("/")[0] in ALGORITHM_MODULES and name not in JOBS_MAY_INCLUDE:
                guard.report(file, number, f"jobs may not use {header}: call pipeline")
            if METHOD_ID.search(line):
                guard.report(file, number, "a method chosen by its id: let its registry entry say it")
    most = JOBS_LINES_PER_COMMAND * max(commands, 1)
    if total > most:
        guard.report("src/sinew/jobs/job.cpp", 1, f"jobs has {total} lines; at most {most} for {commands} commands")


GUARDS = {function.__name__: function for function in
          (layers, uses, headers, apps, purity, licences, machine_paths, unfinished, registries, pi, links, jobs,
           public_headers, formatting)}


def run(name, root):
    guard = Guard(root)
    try:
        GUARDS[name](guard)
    except FileNotFoundError as problem:
        print(f"{name}: {problem}")
        return 2
    for line in guard.found:
        print(line)
    print(f"{name}: {guard.scanned} files read, {len(guard.found)} found")
    if guard.scanned == 0:
        print(f"{name}: no file was read, so nothing was checked")
        return 2
    return 1 if guard.found else 0


def main():
    parser = argparse.ArgumentParser(description="Checks of the sources that no compiler makes.")
    parser.add_argument("name", choices=[*GUARDS, "all"])
    parser.add_argument("--root", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
    arguments = parser.parse_args()
    root = os.path.abspath(arguments.root)
    names = GUARDS if arguments.name == "all" else [arguments.name]
    return max(run(name, root) for name in names)


if __name__ == "__main__":
    sys.exit(main())
