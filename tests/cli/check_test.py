#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sinew authors

"""check_test.py PROGRAM [TEST…]: check, batch, report and mcp on the command line."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

import command_case
from command_case import CommandCase


class Check(CommandCase):
    COMMAND = "check"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.prepare("make", "human", "-o", "made.glb", "--vertices", "1500")
        cls.prepare("weights", "made.glb", "--max-influences", "4", "-o", "hero.glb")
        cls.prepare("make", "human", "-o", "bare.obj", "--vertices", "1500")

    def test_a_good_character_passes(self):
        result = self.expect(0, "hero.glb")
        self.assertTrue(result.stdout.startswith("PASS  hero.glb"), result.stdout)

    def test_a_bare_mesh_fails_and_the_command_that_mends_it_is_told(self):
        result = self.expect(1, "bare.obj")
        self.assertIn("skeleton.none", result.stdout)
        self.assertIn("sinew rig bare.obj", result.stdout)

    def test_an_unreadable_file_does_not_stop_the_others(self):
        with open(os.path.join(self.folder, "bad.glb"), "wb") as file:
            file.write(b"glTF nonsense")
        report = json.loads(self.expect(2, "bad.glb", "hero.glb", "--json").stdout)
        self.assertEqual([f["verdict"] for f in report["metrics"]["files"]], ["UNREADABLE", "PASS"])

    def test_sarif_and_json_are_written_once(self):
        self.expect(1, "bare.obj", "--sarif", "x.sarif", "-o", "x.json")
        sarif = json.loads(self.read("x.sarif"))
        self.assertEqual(sarif["version"], "2.1.0")
        rules = {rule["id"] for rule in sarif["runs"][0]["tool"]["driver"]["rules"]}
        results = sarif["runs"][0]["results"]
        self.assertTrue(results)
        for result in results:
            self.assertIn(result["ruleId"], rules)
            self.assertIn(result["level"], ("error", "warning"))
        self.assertEqual(json.loads(self.read("x.json"))["files"][0]["verdict"], "FAIL")
        self.refuse("bare.obj", "--sarif", "x.sarif", says="x.sarif")

    def test_paths_in_sarif_are_uris(self):
        shutil.copy(os.path.join(self.folder, "bare.obj"), os.path.join(self.folder, "a b#1 50%.obj"))
        self.expect(1, "a b#1 50%.obj", os.path.join(self.folder, "bare.obj"), "--sarif", "uris.sarif")
        results = json.loads(self.read("uris.sarif"))["runs"][0]["results"]
        uris = {r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in results}
        self.assertIn("a%20b%231%2050%25.obj", uris)
        self.assertIn("file://" + self.folder + "/bare.obj", uris)

    def test_profiles(self):
        with open(os.path.join(self.folder, "mine.json"), "w", encoding="utf-8") as file:
            json.dump({"limits": {"skeleton.joints": {"fail": 3}}}, file)
        self.assertIn("skeleton.joints", self.expect(1, "hero.glb", "--profile", "mine.json").stdout)
        self.refuse("hero.glb", "--profile", "gane", says="game")
        with open(os.path.join(self.folder, "wrong.json"), "w", encoding="utf-8") as file:
            json.dump({"limits": {"skeleton.joint": {"fail": 3}}}, file)
        self.refuse("hero.glb", "--profile", "wrong.json", says=("wrong.json", "skeleton.joints"))

    def test_a_baseline(self):
        self.expect(0, "hero.glb", "--baseline", "hero.glb", "--profile", "strict")


class Batch(CommandCase):
    COMMAND = "batch"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for k in range(4):
            cls.prepare("make", "human", "-o", f"made{k}.glb", "--vertices", "800", "--seed", str(k))
            cls.prepare("weights", f"made{k}.glb", "--max-influences", "4", "-o", f"h{k}.glb")

    def lines(self, folder):
        return [json.loads(line) for line in self.read(f"{folder}/results.jsonl").splitlines()]

    @staticmethod
    def results(rows):
        """The files of rows that are done."""
        return [name for name in os.listdir(rows) if not name.startswith(".") and not name.endswith(".time.json")]

    def test_one_process_and_parts_give_the_same_bytes(self):
        steps = ["--do", "convert {in} -o {out}.glb", "--do", "check {out}.glb"]
        self.expect(0, "h*.glb", *steps, "-o", "one/")
        self.expect(0, "h*.glb", *steps, "-o", "two/", "--index", "0", "--of", "2")
        self.expect(0, "two/.sinew-batch/manifest.json", "--index", "1", "--of", "2")
        for name in ("results.jsonl", "summary.csv", "index.html", "h0.glb", "h3.glb"):
            self.assertEqual(self.read(f"one/{name}"), self.read(f"two/{name}"), name)
        self.assertEqual([row["status"] for row in self.lines("one")], ["pass"] * 4)
        report = json.loads(self.expect(0, "h*.glb", *steps, "-o", "one/", "--json").stdout)
        self.assertEqual(report["metrics"]["done_now"], 0)
        self.assertIn("thumbnails/h0.png", self.read("one/index.html").decode())

    def test_bad_rows_are_rows(self):
        with open(os.path.join(self.folder, "broken.glb"), "wb") as file:
            file.write(b"no")
        self.expect(1, "h0.glb", "broken.glb", "--do", "convert {in} -o {out}.glb", "-o", "bad/")
        rows = self.lines("bad")
        self.assertEqual([row["status"] for row in rows], ["pass", "error"])
        self.assertTrue(rows[1]["steps"][0]["text"])
        self.assertNotIn(".sinew-batch/work", self.read("bad/results.jsonl").decode())

    def test_a_killed_batch_is_resumed(self):
        words = [command_case.PROGRAM, "batch", "h0.glb", "h1.glb", "h2.glb", "h3.glb", "--do",
                 "convert {in} -o {out}.glb", "--do", "check {out}.glb", "-o", "killed/", "--processes", "1"]
        running = subprocess.Popen(words, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        rows = os.path.join(self.folder, "killed/.sinew-batch/rows")
        for _ in range(2400):
            if os.path.isdir(rows) and self.results(rows):
                break
            time.sleep(0.05)
        running.send_signal(signal.SIGKILL)
        running.wait()
        before = {name: os.stat(os.path.join(rows, name)).st_mtime_ns for name in self.results(rows)}
        self.assertTrue(before)
        self.expect(0, *words[2:])
        self.assertEqual(len(self.lines("killed")), 4)
        for name, stamp in before.items():
            self.assertEqual(os.stat(os.path.join(rows, name)).st_mtime_ns, stamp, "done twice")

    def test_a_cancelled_batch_says_what_stays(self):
        words = [command_case.PROGRAM, "batch", "h0.glb", "h1.glb", "h2.glb", "h3.glb", "--do",
                 "convert {in} -o {out}.glb", "--do", "check {out}.glb", "-o", "stopped/", "--processes", "1"]
        running = subprocess.Popen(words, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        rows = os.path.join(self.folder, "stopped/.sinew-batch/rows")
        for _ in range(2400):
            if os.path.isdir(rows) and self.results(rows):
                break
            time.sleep(0.02)
        running.send_signal(signal.SIGTERM)
        errors = running.communicate(timeout=60)[1]
        self.assertEqual(running.returncode, 130, errors)
        self.assertIn("finished rows are kept", errors)
        self.assertTrue(self.results(rows))

    @unittest.skipUnless(shutil.which("parallel"), "GNU parallel is not installed")
    def test_gnu_parallel_gives_the_same_bytes(self):
        steps = ["--do", "convert {in} -o {out}.glb", "--do", "check {out}.glb"]
        self.expect(0, "h*.glb", *steps, "-o", "alone/")
        self.expect(0, "h*.glb", *steps, "-o", "spread/", "--index", "0", "--of", "5")
        environment = {**os.environ, "HOME": self.folder, "TMPDIR": self.folder}
        subprocess.run(["parallel", "--will-cite", "-j", "2", command_case.PROGRAM, "batch",
                        "spread/.sinew-batch/manifest.json", "--index", "{}", "--of", "5", ":::", "1", "2", "3", "4"],
                       cwd=self.folder, env=environment, check=True, capture_output=True, timeout=240)
        report = json.loads(self.expect(0, "spread/.sinew-batch/manifest.json", "--json").stdout)
        self.assertEqual(report["metrics"]["done_now"], 0)
        for name in ("results.jsonl", "summary.csv", "index.html", "h0.glb", "h3.glb"):
            self.assertEqual(self.read(f"alone/{name}"), self.read(f"spread/{name}"), name)

    def test_wrong_requests(self):
        self.refuse("h0.glb", "-o", "x/", says="--do")
        self.refuse("h0.glb", "--do", "convert {in}", says="-o")
        self.refuse("h0.glb", "--do", "covert {in}", "-o", "x/", says="convert")
        self.refuse("none*.glb", "--do", "convert {in}", "-o", "x/", says="none*.glb")
        self.refuse("h0.glb", "--do", "convert {file}", "-o", "x/", says="{file}")
        self.refuse("h0.glb", "--do", "convert {in}", "-o", "x/", "--index", "3", "--of", "2", says="--index")


class Mcp(CommandCase):
    COMMAND = "mcp"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.prepare("make", "human", "-o", "made.glb", "--vertices", "800")
        cls.prepare("weights", "made.glb", "--max-influences", "4", "-o", "hero.glb")

    def talk(self, *messages):
        lines = "".join(json.dumps({"jsonrpc": "2.0", "id": k, **message}) + "\n" for k, message in enumerate(messages))
        result = subprocess.run([command_case.PROGRAM, "mcp", "."], cwd=self.folder, input=lines, capture_output=True,
                                text=True, timeout=240, check=True)
        return [json.loads(line) for line in result.stdout.splitlines()]

    def test_wrong_arguments_are_named(self):
        for arguments, word in (({"input": "hero.glb"}, "'input'"), ({"inputs": ["hero.glb"], "output": 5}, "'output'"),
                                ({"inputs": ["hero.glb"], "force": "yes"}, "'force'")):
            (answer,) = self.talk({"method": "tools/call", "params": {"name": "info", "arguments": arguments}})
            self.assertTrue(answer["result"]["isError"])
            self.assertIn(word, answer["result"]["content"][0]["text"])

    def test_a_conversation(self):
        start, tools, checked, drawn = self.talk(
            {"method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {}}},
            {"method": "tools/list"},
            {"method": "tools/call", "params": {"name": "check", "arguments": {"inputs": ["hero.glb"]}}},
            {"method": "tools/call", "params": {"name": "render", "arguments": {
                "inputs": ["hero.glb"], "output": "hero.png", "options": {"quick": True, "size": "64x64"}}}})
        self.assertEqual(start["result"]["serverInfo"]["name"], "sinew")
        names = {tool["name"] for tool in tools["result"]["tools"]}
        self.assertTrue({"rig", "bind", "check", "repair", "transfer", "render"} <= names, names)
        for tool in tools["result"]["tools"]:
            self.assertEqual(tool["inputSchema"]["type"], "object")
        self.assertIn("PASS", checked["result"]["content"][0]["text"])
        self.assertEqual(drawn["result"]["content"][1]["type"], "image")

    @unittest.skipUnless(shutil.which("npm") and shutil.which("node"), "npm is not installed")
    def test_the_published_client_understands_every_answer(self):
        """The protocol's own client checks each message against the published schema."""
        here = os.path.dirname(os.path.abspath(__file__))
        modules = os.path.join(os.path.dirname(os.path.abspath(command_case.PROGRAM)), "../mcp-client")
        os.makedirs(modules, exist_ok=True)
        client = os.path.join(modules, "node_modules/@modelcontextprotocol/sdk/package.json")
        if not os.path.exists(client):
            install = subprocess.run(["npm", "install", "--prefix", modules, "--ignore-scripts", "--no-audit", "--no-fund",
                                      "@modelcontextprotocol/sdk@1.32.2"], capture_output=True, text=True, timeout=300, check=False)
            if install.returncode != 0:
                self.skipTest("the protocol's client cannot be installed: " + install.stderr[-200:])
        shutil.copy(os.path.join(here, "mcp_client.mjs"), modules)
        result = subprocess.run(["node", os.path.join(modules, "mcp_client.mjs"), command_case.PROGRAM, self.folder],
                                capture_output=True, text=True, timeout=240, check=False)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertIn("9 tools", result.stdout)

    def test_nothing_outside_is_read_or_written(self):
        os.symlink("/etc", os.path.join(self.folder, "link"))
        cases = [{"inputs": ["../x.glb"]}, {"inputs": ["/etc/passwd"]}, {"inputs": ["link/passwd"]},
                 {"inputs": ["hero.glb"], "output": "../out.png"},
                 {"inputs": ["hero.glb"], "output": "o.png", "options": {"pose": "/etc/passwd"}},
                 {"inputs": ["hero.glb"], "output": "o.png", "options": {"clip": "../x.glb#1"}}]
        for case, answer in zip(cases, self.talk(*({"method": "tools/call", "params": {"name": "render", "arguments": case}}
                                                   for case in cases))):
            self.assertTrue(answer["result"]["isError"], case)
            self.assertIn("outside", answer["result"]["content"][0]["text"], case)


class ReportPage(CommandCase):
    COMMAND = "report"
    BROWSER = next((b for b in ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome") if shutil.which(b)), None)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.prepare("make", "human", "-o", "made.glb", "--vertices", "800")
        cls.prepare("weights", "made.glb", "--max-influences", "4", "-o", "hero.glb")

    def open_page(self, name, *words):
        page = os.path.join(self.folder, name)
        return subprocess.run([self.BROWSER, "--headless", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
                               "--disable-dev-shm-usage", "--window-size=900,700", "--virtual-time-budget=15000",
                               f"--user-data-dir={self.folder}/profile", *words, "file://" + page],
                              capture_output=True, text=True, timeout=200, check=False).stdout

    def test_a_page_shows_two_characters(self):
        os.rename(os.path.join(self.folder, "made.glb"), os.path.join(self.folder, "<b>made.glb"))
        self.expect(0, "hero.glb", "<b>made.glb", "-o", "two.html")
        page = self.read("two.html").decode()
        self.assertNotIn("<b>made", page)
        self.assertLess(len(page), 5e6 + 2 * (len(self.read("hero.glb")) + len(self.read("<b>made.glb"))))
        self.refuse("hero.glb", "-o", "two.html", says="two.html")
        self.refuse("hero.glb", "-o", "two.txt", says=".html")
        if not self.BROWSER:
            self.skipTest("there is no Chromium")
        dom = self.open_page("two.html", "--dump-dom")
        ready = re.search(r'data-ready="(\d+)"', dom)
        self.assertTrue(ready, dom[-2000:])
        self.assertGreater(int(ready[1]), 1000)
        self.assertEqual(dom.count("<canvas"), 2)
        self.assertIn("&lt;b&gt;made.glb", dom)

    def test_pixels_of_the_character_are_drawn(self):
        if not self.BROWSER:
            self.skipTest("there is no Chromium")
        self.expect(0, "hero.glb", "-o", "one.html")
        self.open_page("one.html", f"--screenshot={self.folder}/one.png")
        with open(os.path.join(self.folder, "one.png"), "rb") as file:
            self.assertGreater(len(file.read()), 8000)  # A picture of an empty page has some 3,000 bytes.


if __name__ == "__main__":
    command_case.main()
