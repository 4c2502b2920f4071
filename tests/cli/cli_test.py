#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sinew authors

"""cli_test.py PROGRAM [TEST…]: what the program promises on its command line, tried from outside."""

import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = ""

CUBE = "\n".join(
    [f"v {x} {y} {z}" for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    + ["f 1 2 4 3", "f 5 7 8 6", "f 1 5 6 2", "f 3 4 8 7", "f 1 3 7 5", "f 2 6 8 4"]) + "\n"


class Cli(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="sinew-cli-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.write("cube.obj", CUBE)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def sinew(self, *words, **options):
        return subprocess.run([PROGRAM, *words], cwd=self.folder, capture_output=True, text=True, timeout=120, check=False, **options)

    def expect(self, code, *words, **options):
        result = self.sinew(*words, **options)
        self.assertEqual(result.returncode, code, f"{words}\n{result.stdout}\n{result.stderr}")
        return result

    def names(self):
        return sorted(os.listdir(self.folder))

    def make_glb(self, name="figure.glb"):
        self.expect(0, "make", "figure", "-o", name, "--vertices", "2000", "--quiet")


class Help(Cli):
    def test_the_program_lists_its_commands_by_group(self):
        for words in ([], ["--help"], ["-h"]):
            text = self.expect(0, *words).stdout
            for word in ("Start", "info", "Deliver", "convert", "render", "--json", "--config", "--strict"):
                self.assertIn(word, text)
            self.assertLess(text.index("Start"), text.index("Deliver"))

    def test_a_command_tells_its_options_with_unit_range_choices_and_examples(self):
        text = self.expect(0, "convert", "--help").stdout
        for word in ("--max-influences N", "0 to 64", "default 0", "--unit", "one of m, dm, cm", "--height X", "in m", "Examples",
                     "sinew convert hero.obj -o hero.glb", "--force", "-o, --output FILE"):
            self.assertIn(word, text)

    def test_the_version_is_one_line(self):
        self.assertRegex(self.expect(0, "--version").stdout, r"^sinew \d+\.\d+\.\d+\n$")

    def test_no_line_of_help_is_wider_than_a_hundred_characters(self):
        for words in (["--help"], ["info", "--help"], ["convert", "--help"], ["render", "--help"], ["make", "--help"]):
            for line in self.expect(0, *words).stdout.splitlines():
                self.assertLessEqual(len(line), 100, line)


class Requests(Cli):
    """What is wrong with a request is a sentence on standard error, exit code 2, and nothing written."""

    def refuse(self, *words, says):
        before = self.names()
        result = self.expect(2, *words)
        self.assertEqual(result.stdout, "")
        self.assertIn(says, result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertTrue(result.stderr.startswith("sinew: "), result.stderr)
        self.assertEqual(self.names(), before)

    def test_an_unknown_command_gets_the_nearest(self):
        self.refuse("inof", "cube.obj", says="Unknown command 'inof'; available: rig, studio, info,")

    def test_an_unknown_flag_gets_the_nearest(self):
        self.refuse("convert", "cube.obj", "-o", "x.glb", "--max-influence", "4", says="Did you mean '--max-influences'?")
        self.refuse("convert", "cube.obj", "-o", "x.glb", "--max-influence=4", says="Did you mean '--max-influences'?")
        self.refuse("info", "cube.obj", "--jsn", says="Did you mean '--json'?")
        self.refuse("--vresion", says="Did you mean '--version'?")

    def test_wrong_values_name_the_flag(self):
        self.refuse("convert", "cube.obj", "-o", "x.glb", "--max-influences", "many", says="The option '--max-influences' takes an integer")
        self.refuse("convert", "cube.obj", "-o", "x.glb", "--max-influences", "65", says="between 0 and 64")
        self.refuse("convert", "cube.obj", "-o", "x.glb", "--unit", "cn", says="Did you mean 'cm'?")
        self.refuse("convert", "cube.obj", "-o", "x.glb", "--height", "-1", says="--height")
        self.refuse("convert", "cube.obj", "-o", "x.glb", "--ground=perhaps", says="'--ground' takes true or false")
        self.refuse("info", "cube.obj", "--threads", "-1", says="--threads")
        self.refuse("convert", "cube.obj", "-o", says="--output needs a value")

    def test_the_number_of_inputs_is_checked(self):
        self.refuse("info", says="takes 1 input")
        self.refuse("info", "cube.obj", "cube.obj", says="takes 1 input")
        self.refuse("convert", "cube.obj", says="-o")

    def test_files_that_cannot_be_read_are_named(self):
        self.refuse("info", "nothing.glb", says="nothing.glb")
        self.refuse("info", ".", says=".")
        self.write("odd.xyz", "1")
        self.refuse("info", "odd.xyz", says="odd.xyz")
        self.write("broken.glb", "glTF nonsense")
        self.refuse("info", "broken.glb", says="broken.glb")

    def test_outputs_that_cannot_be_written_are_named(self):
        self.refuse("convert", "cube.obj", "-o", "missing/x.glb", says="missing")
        self.refuse("convert", "cube.obj", "-o", self.folder, says="folder")
        self.refuse("convert", "cube.obj", "-o", "x.odd", says="x.odd")

    def test_what_cannot_be_made_is_told_before_anything_is_written(self):
        self.refuse("make", "tetrapod", "-o", "x.glb", says="Unknown kind of character 'tetrapod'; available: human,")
        self.refuse("make", "figur", "-o", "x.glb", says="Did you mean 'figure'?")
        self.refuse("make", "bar", "-o", "x.glb", "--clothes", says="'bar' does not have the option '--clothes'")
        self.refuse("make", "figure", "-o", "x.glb", "--layers", "3", says="'figure' does not have the option '--layers'")
        self.refuse("make", "bar", "-o", "x.glb", "--joint-count", "1", says="at least 2 joints")
        self.refuse("make", "arm", "-o", "x.glb", "--shape", "long", says="--shape")
        self.refuse("make", "bar", "-o", "x.ply", says="x.ply")
        self.refuse("make", "bar", "-o", "x.glb", "--truth", "missing/x.json", says="missing")
        self.refuse("make", "bar", "-o", "x.rig.json", "--with", "mesh", says="x.rig.json")

    def test_an_existing_file_is_kept_without_force(self):
        self.write("kept.glb", "precious")
        self.refuse("convert", "cube.obj", "-o", "kept.glb", says="--force")
        self.assertEqual(self.read("kept.glb"), b"precious")
        self.expect(0, "convert", "cube.obj", "-o", "kept.glb", "--force")
        self.assertEqual(self.read("kept.glb")[:4], b"glTF")

    def test_an_input_that_is_overwritten_leaves_backups_that_are_never_replaced(self):
        self.make_glb()
        first = self.read("figure.glb")
        self.expect(0, "convert", "figure.glb", "-o", "figure.glb", "--max-influences", "2")
        second = self.read("figure.glb")
        self.assertEqual(self.read("figure.glb.bak"), first)
        self.assertNotEqual(first, second)
        self.expect(0, "convert", "figure.glb", "-o", "./figure.glb", "--max-influences", "1")
        self.assertEqual(self.read("figure.glb.bak"), first)
        self.assertEqual(self.read("figure.glb.bak2"), second)


class Reports(Cli):
    def test_text_for_people_ends_with_the_next_command(self):
        result = self.expect(0, "convert", "cube.obj", "-o", "cube.glb")
        self.assertEqual(result.stdout.splitlines()[-1], "next: sinew info cube.glb")

    def test_json_is_all_there_is_on_standard_output(self):
        for words in (["info", "cube.obj"], ["convert", "cube.obj", "-o", "cube.glb"]):
            report = json.loads(self.expect(0, *words, "--json").stdout)
            self.assertEqual(list(report), ["schema", "command", "options", "inputs", "outputs", "status", "isa",
                                            "findings", "fallbacks", "metrics", "timing"])
            self.assertEqual(report["command"], words[0])
            self.assertEqual(len(report["inputs"][0]["sha256"]), 64)
        self.assertEqual(report["metrics"]["read"]["vertices"], 8)
        self.assertEqual(report["outputs"][0]["bytes"], os.path.getsize(self.path("cube.glb")))

    def test_a_failure_is_json_too(self):
        for words in (["info", "nothing.glb"], ["info"], ["inof"]):
            result = self.sinew(*words, "--json")
            self.assertEqual(result.returncode, 2)
            failure = json.loads(result.stdout)
            self.assertEqual(failure["status"], "failed")
            self.assertEqual(failure["error"]["kind"], "request")
            self.assertIn(failure["error"]["text"], result.stderr)

    def test_only_timing_differs_between_two_runs_and_any_number_of_threads(self):
        reports, files = [], []
        for threads in ("1", "2", "3", "4"):
            report = json.loads(self.expect(0, "convert", "cube.obj", "-o", "cube.glb", "--force", "--json", "--threads", threads).stdout)
            del report["timing"]
            reports.append(report)
            files.append(self.read("cube.glb"))
        self.assertTrue(all(report == reports[0] for report in reports))
        self.assertTrue(all(data == files[0] for data in files))

    def test_quiet_prints_nothing_when_all_is_well(self):
        result = self.expect(0, "convert", "cube.obj", "-o", "cube.glb", "--quiet")
        self.assertEqual((result.stdout, result.stderr), ("", ""))

    def test_a_name_that_is_not_utf8_does_not_break_the_report(self):
        name = b"cub\xff.obj"
        with open(os.path.join(os.fsencode(self.folder), name), "w", encoding="utf-8") as file:
            file.write(CUBE)
        result = subprocess.run([PROGRAM, "info", name, "--json"], cwd=self.folder, capture_output=True, check=False, timeout=60)
        self.assertEqual(result.returncode, 0, result.stderr)
        json.loads(result.stdout.decode("utf-8"))

    def test_a_file_name_with_spaces_is_quoted_in_the_next_command(self):
        result = self.expect(0, "convert", "cube.obj", "-o", "my cube.glb")
        self.assertEqual(result.stdout.splitlines()[-1], "next: sinew info 'my cube.glb'")


class Configs(Cli):
    def options(self, *words):
        return json.loads(self.expect(0, "convert", "cube.obj", "-o", "x.glb", "--force", "--json", *words).stdout)["options"]

    def test_options_of_a_file_hold_and_the_command_line_goes_first(self):
        self.write("c.json", '{"unit": "cm", "max_influences": 2, "ground": true}')
        options = self.options("--config", "c.json")
        self.assertEqual((options["unit"], options["max_influences"], options["ground"]), ("cm", 2, True))
        options = self.options("--unit", "mm", "--config", "c.json", "--no-ground")
        self.assertEqual((options["unit"], options["max_influences"], options["ground"]), ("mm", 2, False))

    def test_a_report_passed_back_gives_the_same_result(self):
        first = self.expect(0, "convert", "cube.obj", "-o", "x.glb", "--json", "--height", "1.8", "--up", "z").stdout
        data = self.read("x.glb")
        self.write("report.json", first)
        second = self.expect(0, "convert", "cube.obj", "-o", "x.glb", "--force", "--json", "--config", "report.json").stdout
        self.assertEqual(json.loads(second)["options"], json.loads(first)["options"])
        self.assertEqual(self.read("x.glb"), data)

    def test_wrong_files_are_refused_by_name(self):
        self.write("bad.json", "{")
        self.write("list.json", "[1]")
        self.write("unknown.json", '{"max_influence": 2}')
        self.write("type.json", '{"max_influences": "2"}')
        self.write("other.json", self.expect(0, "info", "cube.obj", "--json").stdout)
        for name in ("bad.json", "list.json", "unknown.json", "type.json", "other.json", "nothing.json"):
            result = self.expect(2, "convert", "cube.obj", "-o", "x.glb", "--config", name)
            self.assertIn(name, result.stderr)
        self.assertNotIn("x.glb", self.names())


class Strictness(Cli):
    def setUp(self):
        super().setUp()
        self.write("textured.obj", "mtllib textured.mtl\nusemtl skin\n" + CUBE)
        self.write("textured.mtl", "newmtl skin\nmap_Kd missing.png\n")

    def test_a_warning_is_told_and_is_no_failure(self):
        result = self.expect(0, "convert", "textured.obj", "-o", "x.glb")
        self.assertIn("warning: ", result.stderr)
        self.assertIn("missing.png", result.stderr)
        self.assertNotIn("warning", result.stdout)
        self.assertTrue(result.stdout.splitlines()[-1].startswith("next: "))

    def test_with_strict_a_warning_is_exit_code_1_and_the_result_is_still_written(self):
        self.expect(1, "convert", "textured.obj", "-o", "x.glb", "--strict")
        self.assertEqual(self.read("x.glb")[:4], b"glTF")
        self.expect(0, "convert", "cube.obj", "-o", "y.glb", "--strict")

    def test_a_note_is_printed_and_does_not_count_even_with_strict(self):
        self.write("lines.obj", CUBE + "l 1 2\n")
        result = self.expect(0, "convert", "lines.obj", "-o", "x.glb", "--strict")
        self.assertIn("note: lines.obj: ", result.stderr)
        self.assertNotIn("warning", result.stderr)
        self.assertEqual(self.expect(0, "convert", "lines.obj", "-o", "y.glb", "--quiet").stderr, "")


class Interruptions(Cli):
    """However it ends, an old output is whole and there is no half-written one."""

    def big(self):
        count = 400
        lines = [f"v {x} {y} 0" for x in range(count) for y in range(count)]
        lines += [f"f {a} {a + 1} {a + count + 1} {a + count}" for x in range(count - 1) for a in range(x * count + 1, x * count + count)]
        self.write("big.obj", "\n".join(lines) + "\n")
        self.write("out.glb", "old")

    def test_a_full_disk_leaves_the_old_file(self):
        self.big()
        before = self.names()

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

        result = self.expect(2, "convert", "big.obj", "-o", "out.glb", "--force", preexec_fn=limit)
        self.assertIn("out.glb", result.stderr)
        self.assertEqual(self.read("out.glb"), b"old")
        self.assertEqual(self.names(), before)

    def test_a_program_that_is_killed_leaves_the_old_file(self):
        self.big()
        outcomes = set()
        for delay in (0.05, 0.15, 0.3, 0.45, 0.6, 0.8):
            process = subprocess.Popen([PROGRAM, "convert", "big.obj", "-o", "out.glb", "--force"], cwd=self.folder,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(delay)
            process.kill()
            process.wait()
            data = self.read("out.glb")
            whole = data[:4] == b"glTF" and int.from_bytes(data[8:12], "little") == len(data)
            self.assertTrue(data == b"old" or whole, f"{len(data)} bytes after {delay} s")
            outcomes.add("new" if whole else "old")
        self.assertTrue(outcomes)

    def interrupted(self, number):
        process = subprocess.Popen([PROGRAM, "convert", "pipe.obj", "-o", "out.glb", "--force", "--json"], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        # The program waits in the pipe, so the signal surely comes while it works. Opening a pipe waits for the reader.
        with open(self.path("pipe.obj"), "w", encoding="utf-8") as pipe:
            pipe.write(CUBE)
            pipe.flush()
            time.sleep(0.2)
            process.send_signal(number)
            time.sleep(0.1)
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err

    def test_a_stage_that_does_not_notice_is_ended(self):
        self.write("out.glb", "old")
        os.mkfifo(self.path("endless.obj"))
        process = subprocess.Popen([PROGRAM, "convert", "endless.obj", "-o", "out.glb", "--force"], cwd=self.folder,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        with open(self.path("endless.obj"), "w", encoding="utf-8"):
            time.sleep(0.2)
            process.send_signal(signal.SIGTERM)
            begin = time.monotonic()
            _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, err)
        self.assertIn("Cancelled", err)
        self.assertLess(time.monotonic() - begin, 30)
        self.assertEqual(self.read("out.glb"), b"old")

    def test_the_first_signal_cancels_cleanly(self):
        self.write("out.glb", "old")
        os.mkfifo(self.path("pipe.obj"))
        for number in (signal.SIGINT, signal.SIGTERM):
            before = self.names()
            code, out, err = self.interrupted(number)
            self.assertEqual(code, 130, err)
            self.assertEqual(json.loads(out)["error"]["kind"], "cancelled")
            self.assertEqual(self.names(), before)
            self.assertEqual(self.read("out.glb"), b"old")

    def test_the_second_signal_does_not_wait(self):
        os.mkfifo(self.path("pipe.obj"))
        process = subprocess.Popen([PROGRAM, "info", "pipe.obj"], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(self.path("pipe.obj"), "w", encoding="utf-8"):
            time.sleep(0.2)
            process.send_signal(signal.SIGINT)
            time.sleep(0.2)
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(timeout=10), 130)

    def test_a_reader_that_went_away_is_a_quiet_end(self):
        read_end, write_end = os.pipe()
        os.close(read_end)
        result = subprocess.run([PROGRAM, "info", "cube.obj"], cwd=self.folder, stdout=write_end, stderr=subprocess.PIPE,
                                text=True, timeout=60, check=False)
        os.close(write_end)
        self.assertEqual(result.returncode, 0)
        self.assertNotIn("sinew:", result.stderr)

    def test_a_full_standard_output_is_told(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            result = subprocess.run([PROGRAM, "info", "cube.obj"], cwd=self.folder, stdout=full, stderr=subprocess.PIPE,
                                    text=True, timeout=60, check=False)
        self.assertEqual(result.returncode, 2)
        self.assertIn("standard output", result.stderr)

    def test_too_little_memory_is_a_sentence(self):
        if os.environ.get("SINEW_SANITIZED"):
            self.skipTest("sanitizers need all addresses there are")
        self.big()

        told = 0
        for megabytes in range(40, 300, 20):  # From too little even to start, to enough.
            def limit(size=megabytes * 1_000_000):
                resource.setrlimit(resource.RLIMIT_AS, (size, size))

            result = self.sinew("convert", "big.obj", "-o", "new.glb", "--threads", "1", preexec_fn=limit)
            if result.returncode == 127:  # The loader could not even map the program.
                continue
            if result.returncode == 0:
                break
            self.assertEqual(result.returncode, 3, result.stderr)
            self.assertIn("not enough memory", result.stderr)
            self.assertNotIn("new.glb", self.names())
            told += 1
        self.assertGreater(told, 0)


class Converting(Cli):
    def test_what_is_made_is_told_and_its_truth_written(self):
        words = ("make", "bar", "--joint-count", "5", "--checkerboard", "--truth", "bar.truth.json", "--json")
        report = json.loads(self.expect(0, *words, "-o", "bar.glb").stdout)
        metrics = report["metrics"]
        self.assertEqual((metrics["kind"], metrics["vertices"], metrics["faces"], metrics["quads"], metrics["joints"]),
                         ("bar", 1298, 2592, 0, 5))
        self.assertEqual([output["path"] for output in report["outputs"]], ["bar.glb", "bar.truth.json"])
        truth = json.loads(self.read("bar.truth.json"))
        self.assertEqual(len(truth["owner"]), 1298)
        for row in truth["weights"]:
            self.assertAlmostEqual(sum(row[1::2]), 1, places=6)

    def test_made_characters_are_the_same_for_the_same_seed_and_any_number_of_threads(self):
        words = ("make", "figure", "--generated", "--vertices", "3000", "--quiet", "--seed")
        self.expect(0, *words, "4", "-o", "a.glb", "--threads", "1")
        self.expect(0, *words, "4", "-o", "b.glb", "--threads", "2")
        self.expect(0, *words, "5", "-o", "c.glb")
        self.assertEqual(self.read("a.glb"), self.read("b.glb"))
        self.assertNotEqual(self.read("a.glb"), self.read("c.glb"))

    def test_a_report_of_make_makes_it_again(self):
        report = self.expect(0, "make", "arm", "--shape", "slender", "--triangles", "-o", "a.glb", "--json").stdout
        self.write("report.json", report)
        self.expect(0, "make", "arm", "--config", "report.json", "-o", "b.glb")
        self.assertEqual(self.read("a.glb"), self.read("b.glb"))

    def test_a_rig_goes_out_and_comes_back(self):
        self.make_glb()
        self.expect(0, "convert", "figure.glb", "-o", "figure.rig.json")
        self.expect(0, "convert", "figure.glb", "-o", "figure.obj")
        report = json.loads(self.expect(0, "convert", "figure.obj", "-o", "again.glb", "--rig", "figure.rig.json", "--json").stdout)
        self.assertEqual(report["metrics"]["written"]["joints"], report["metrics"]["written"]["joints"])
        self.assertGreater(report["metrics"]["written"]["joints"], 10)
        self.assertEqual(len(report["inputs"]), 2 + sum(i["path"].endswith(".mtl") for i in report["inputs"]))

    def test_influences_are_capped_and_the_loss_is_told(self):
        self.make_glb()
        report = json.loads(self.expect(0, "convert", "figure.glb", "-o", "two.glb", "--max-influences", "2", "--json").stdout)
        self.assertEqual(report["metrics"]["written"]["max_influences"], 2)
        self.assertGreater(report["metrics"]["largest_share_dropped"], 0)
        again = json.loads(self.expect(0, "convert", "two.glb", "-o", "x.glb", "--json").stdout)
        self.assertEqual(again["metrics"]["read"]["max_influences"], 2)

    def test_what_is_within_the_cap_is_not_touched(self):
        self.make_glb()
        self.expect(0, "convert", "figure.glb", "-o", "same.glb")
        self.expect(0, "convert", "figure.glb", "-o", "capped.glb", "--max-influences", "8")
        self.assertEqual(self.read("same.glb"), self.read("capped.glb"))


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
