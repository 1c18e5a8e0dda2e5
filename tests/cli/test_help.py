"""Help, version, mistakes on the command line, and the pages made from the tables."""
import os
import re
import subprocess
import unittest

from support import PROGRAM, ROOT, Case

COMMANDS = ["sample", "embed", "orient", "sync", "average", "denoise", "extend", "distance", "info", "plot", "help"]


class Help(Case):
    def test_overview_without_arguments(self):
        run = self.done()
        for name in COMMANDS:
            self.assertRegex(run.stdout, rf"(?m)^  {name} ")
        self.assertNotIn("\n  options", run.stdout)
        self.assertEqual(run.stderr, "")
        for words in (["help"], ["--help"], ["-h"]):
            self.assertEqual(self.done(*words).stdout, run.stdout)

    def test_version(self):
        self.assertRegex(self.done("--version").stdout, r"^lavdm \d+\.\d+\.\d+\n$")

    def test_every_command_explains_itself(self):
        for name in COMMANDS:
            text = self.done(name, "--help").stdout
            self.assertIn(f"{name} ", text.splitlines()[0])
            self.assertIn("Example:", text)
            self.assertIn("--help", text)
            self.assertEqual(self.done("help", name).stdout, text)
            self.assertEqual(self.done(name, "--no-such-thing", "-h").stdout, text)

    def test_embed_help_names_every_option(self):
        text = self.done("embed", "--help").stdout
        for name in ("method bundle graph dim landmarks design epsilon alpha beta kernel cutoff knn components time "
                     "delta embedding seed threads json quiet max-memory tolerance edges output ambient element").split():
            self.assertRegex(text, rf"--{name}\b")
        self.assertNotIn("callback", text)
        self.assertIn("landmarks among the nodes", " ".join(text.split()))

    def test_examples_work_as_pasted(self):
        for name in [None] + COMMANDS:
            text = self.done(*([name, "--help"] if name else [])).stdout
            lines = [line.strip() for line in text.splitlines() if line.startswith(f"  {PROGRAM} ")]
            self.assertTrue(lines, name)
            for line in lines:
                run = subprocess.run(line, shell=True, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                     text=True, timeout=600)
                self.assertEqual(run.returncode, 0, f"{line}: {run.stderr}")
        self.assertFalse([name for name in self.files() if name.startswith(".")])


class Mistakes(Case):
    def test_unknown_command(self):
        run = self.refused(1, "embde", says="did you mean 'embed'?")
        self.assertIn("help", run.stderr)
        self.refused(1, "xyzzy", says="there is no command 'xyzzy'")
        self.refused(1, "help", "orent", says="did you mean 'orient'?")

    def test_unknown_option(self):
        self.refused(1, "embed", "x.npy", "--epsilom", "2", says="did you mean --epsilon?")
        self.refused(1, "embed", "x.npy", "--max-mem", "2", says="did you mean --max-memory?")
        self.refused(1, "embed", "x.npy", "--wibble", says="no option --wibble")
        self.refused(1, "embed", "x.npy", "-z", says="no option -z")
        self.refused(1, "orient", "x.npy", "--bundle=tangent", says="no option --bundle")

    def test_values(self):
        self.refused(1, "embed", "x.npy", "-o", says="-o needs a value")
        self.refused(1, "embed", "x.npy", "--output", "--json", says="--output needs a value, and --json is an option")
        self.refused(1, "embed", "x.npy", "--json=yes", says="--json takes no value")
        self.refused(1, "embed", "x.npy", "--epsilon", "wide", "--json", says="epsilon is 'wide'")
        self.refused(1, "embed", "x.npy", "--epsilon", "-1", "--json", says="epsilon is '-1'")
        self.refused(1, "embed", "x.npy", "--epsilon=-1e300", "--json", says="epsilon is '-1e300'")
        self.refused(1, "embed", "x.npy", "--epsilon", "nan", "--json", says="epsilon is 'nan'")
        self.refused(1, "embed", "x.npy", "--epsilon", "1e999", "--json", says="epsilon is '1e999'")
        self.refused(1, "embed", "x.npy", "--method", "pca", "--json", says=["--method is 'pca'", "dm|vdm|roseland|lavdm"])
        self.refused(1, "embed", "x.npy", "--kernel", "callback", "--json", says="gaussian|epanechnikov|ball")
        self.refused(1, "embed", "x.npy", "--components", "0", "--json", says="components is '0'")
        self.refused(1, "embed", "x.npy", "--components", "2.5", "--json", says="components is '2.5'")
        self.refused(1, "embed", "x.npy", "--max-memory", "lots", "--json", says="max_memory is 'lots'")

    def test_operands(self):
        self.refused(1, "embed", "-o", "x.npz", says="INPUT is missing")
        self.refused(1, "embed", "a.npy", "b.npy", "-o", "x.npz", says=["a.npy", "several files must be a list of pictures"])
        self.refused(1, "info", "a.npy", "b.npy", says="'b.npy' is one word too many")
        self.refused(1, "orient", says="missing")
        self.refused(1, "info", says="missing")
        self.refused(1, "embed", "a.npy", says=["-o OUTPUT", "--json"])

    def test_spelling_of_options(self):
        from support import circle
        x = self.save("x.npy", circle(60))
        one = self.json("embed", x, "--method=roseland", "--components=3", "--max-memory=4G", "--seed=7")
        two = self.json("embed", "--seed", "5", "--max_memory", "1G", "--max_memory", "4G", "--components", "3", "--seed", "7",
                        "--method", "roseland", "--", x)
        self.assertEqual(one["eigenvalues"], two["eigenvalues"])
        self.assertEqual(two["seed"], 7)
        self.save("-x.npy", circle(60))
        self.done("embed", "-qotwo.npz", "--", "-x.npy")
        self.assertIn("two.npz", self.files())

    def test_standard_output_full(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        with open("/dev/full", "w") as full:
            run = subprocess.run([PROGRAM, "help"], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(run.returncode, 2)
        self.assertIn("standard output", run.stderr)


class Pages(Case):
    def committed(self, name):
        with open(os.path.join(ROOT, "docs", name)) as file:
            return file.read()

    def test_reference_page_is_the_generated_one(self):
        self.assertEqual(self.done("options", "--markdown").stdout, self.committed("options.md"))

    def test_man_page_is_the_generated_one(self):
        self.assertEqual(self.done("help", "--man").stdout, self.committed("lavdm.1"))

    def test_reference_page_has_every_option_of_the_table(self):
        with open(os.path.join(ROOT, "src", "base", "options.c")) as file:
            table = file.read().split("static const entry table[]", 1)[1].split("};", 1)[0]
        names = re.findall(r"\b(?:CHOICE|INTEGER|REAL|BYTES)\(\s*(\w+),", table)
        self.assertGreater(len(names), 15)
        page = self.done("options").stdout
        for name in names:
            self.assertIn(f"### `--{name.replace('_', '-')} ", page)


if __name__ == "__main__":
    unittest.main()
