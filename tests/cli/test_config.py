"""Options from files: --config, --like; and what a shell completes."""
import json
import shutil
import subprocess
import unittest

import numpy as np

from support import PROGRAM, Case, circle


class Config(Case):
    def setUp(self):
        super().setUp()
        self.save("c.npy", circle(150, 0.01))

    def test_file(self):
        """Sections, quotes, comments; the section wins over the rest, and the command line over all."""
        self.text("a.toml", "\ufeff# options\nmethod = \"dm\"  # as text\nknn=20\r\n\r\ncomponents = 7\n"
                  "[average]\nclasses = 3\n[embed]\n  components = 4\nquiet = true\nmax_memory = '4G'\n")
        out = self.json("embed", "c.npy", "--config", "a.toml")
        self.assertEqual((out["method"], out["knn"], out["components"]), ("dm", 20, 4))
        self.assertEqual(sorted(out["given"]), ["components", "knn", "max_memory", "method"])
        out = self.json("embed", "c.npy", "--config=a.toml", "--components", 5, "--method", "vdm")
        self.assertEqual((out["method"], out["knn"], out["components"]), ("vdm", 20, 5))
        run = self.done("embed", "c.npy", "--config", "a.toml", "-o", "x.npz")
        self.assertEqual(run.stdout, "")
        self.text("b.toml", 'output = "a \\"b\\" \\\\.npz"\nquiet = no\n')
        run = self.done("embed", "c.npy", "--method", "dm", "--config", "b.toml")
        self.assertIn("eigenvalues", run.stdout)
        self.assertIn('a "b" \\.npz', self.files())

    def test_refused(self):
        for text, says in (
                ("metod = dm\n", ["line 1", "no option --metod", "did you mean --method?"]),
                ("\n\nmethod = fast\n", ["line 3", "must be one of"]), ("knn = 1\nknn = 2\n", ["line 2", "set before"]),
                ("knn\n", ["line 1", "'name = value'"]), ("knn =\n", ["line 1", "no value"]),
                ("input = \"a\n", ["line 1", "quotes"]), ("knn = \"3\" 4\n", ["line 1", "quotes"]),
                ("[embd]\n", ["line 1", "[embd] is no command"]), ("[embed\n", ["line 1", "a section"]),
                ("classes = 3\n", ["line 1", "embed has no option 'classes'", "[average]"]),
                ("config = b.toml\n", ["line 1", "no other file"]), ("quiet = maybe\n", ["line 1", "true or false"]),
                ("like = b.npz\n", ["line 1", "no other file"]), ("knn = \0 3\n", ["is no text"]),
                ("#" * (1 << 20) + "\n", ["too long for options"])):
            self.text("bad.toml", text)
            self.refused(1, "embed", "c.npy", "--json", "--config", "bad.toml", says=["bad.toml", *says])
        self.refused(1, "embed", "c.npy", "--json", "--config", "gone.toml", says="gone.toml: no such file")
        self.refused(1, "embed", "c.npy", "--json", "--config", ".", says="is a folder")

    def test_like(self):
        """The same options give the same numbers, from every kind of result."""
        self.save("new.npy", circle(100, 0.01, seed=1))
        given = ["--method", "vdm", "--components", 5, "--knn", 30, "--threads", 1]
        want = self.json("embed", "c.npy", *given, "--seed", 9)
        self.text("old.json", json.dumps(want))
        for end in ("npz", "h5", "mat"):
            self.done("embed", "c.npy", *given, "--seed", 9, "-q", "-o", f"old.{end}")
        for end in ("npz", "h5", "mat", "json"):
            out = self.json("embed", "c.npy", "--like", f"old.{end}")
            self.assertEqual(out["eigenvalues"], want["eigenvalues"])
            self.assertEqual(out["threads"], 1)  # it was given
            other = self.json("embed", "new.npy", "--like", f"old.{end}", "--components", 4)
            self.assertEqual((other["epsilon"], other["components"], other["seed"]), (want["epsilon"], 4, 9))
            again = self.json("embed", "new.npy", "--like-given", f"old.{end}")
            self.assertEqual((again["method"], again["knn"], again["seed"]), ("vdm", 30, 9))
            self.assertIn("epsilon", again["auto"])
            self.assertNotEqual(again["epsilon"], want["epsilon"])
            self.assertRegex(out["notes"][0], r"given there: method, knn, .*; chosen there: .*epsilon")
        other = self.json("embed", "c.npy", "--like", "old.npz", "--method", "dm")
        self.assertEqual((other["method"], other["knn"], other["bundle"]), ("dm", 30, "trivial"))
        self.assertIn("epsilon", other["auto"])
        self.assertIn("as the method or bundle is another", other["notes"][0])
        run = self.done("embed", "c.npy", "--like", "old.npz", "-o", "x.npz")
        self.assertIn("old.npz: taken from it", run.stderr)
        self.text("a.toml", "components = 3\n")
        self.assertEqual(self.json("embed", "c.npy", "--like", "old.npz", "--config", "a.toml")["components"], 3)

    def test_like_methods(self):
        """What was chosen is accepted when it is given, whatever the method and bundle."""
        rng = np.random.default_rng(0)
        self.save("s.npy", rng.normal(size=(60, 16)))
        self.text("g.csv", "".join(f"{i},{(i + 1) % 50},1\n{i},{(i + 7) % 50},0.5\n" for i in range(50)))
        for words in (["c.npy"], ["c.npy", "--method", "roseland"], ["c.npy", "--bundle", "orientation"],
                      ["c.npy", "--precision", "single"], ["s.npy", "--bundle", "shift"], ["s.npy", "--pca", 3],
                      ["s.npy", "--bundle", "rotation", "--noise", 0], ["--graph", "g.csv", "--method", "dm"]):
            want = self.json("embed", *words, "-o", "r.npz")
            files = words[:2] if words[0] == "--graph" else words[:1]
            out = self.json("embed", *files, "--like", "r.npz")
            self.assertEqual(out["eigenvalues"], want["eigenvalues"], words)

    def test_like_refused(self):
        self.save("marks.npy", np.arange(0, 150, 5))
        self.done("embed", "c.npy", "--design", "marks.npy", "-o", "given.npz", "-q")
        self.refused(1, "embed", "c.npy", "--like", "given.npz", "--json", says=["given.npz", "--design FILE"])
        self.json("embed", "c.npy", "--like", "given.npz", "--design", "marks.npy")
        self.text("a.json", "{}")
        self.text("b.json", "{")
        np.savez(self.path("c.npz"), options=3)
        for name, says in (("c.npy", "no texts"), ("a.json", "holds no options"), ("b.json", "holds no options"),
                           ("c.npz", "holds no options"), ("gone.npz", "no such file")):
            self.refused(1, "embed", "c.npy", "--like", name, "--json", says=[name, says])
        self.text("d.json", '{"options": {"metod": "dm"}, "given": []}')
        self.refused(1, "embed", "c.npy", "--like", "d.json", "--json", says=["d.json", "no option --metod"])
        self.refused(1, "embed", "c.npy", "--like", "d.json", "--like-given", "d.json", "--json", says="give one")
        for name in "output", "config", "columns":  # where to read and write is not for a file of others to say
            self.text("e.json", '{"options": {"method": "dm", "%s": "o.npz"}, "given": []}' % name)
            self.refused(1, "embed", "c.npy", "--like", "e.json", "--json", says=["e.json", f"no option --{name} to be"])


class Completion(Case):
    def bash(self, *words):
        """What bash itself completes for these words, the last of which is under way."""
        script = self.done("completion", "bash").stdout + """
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _lavdm; printf '%s\\n' "${COMPREPLY[@]}"
"""
        run = subprocess.run(["bash", "-uc", script, "bash", "lavdm", *words], stdout=subprocess.PIPE, text=True, check=True)
        return run.stdout.split()

    def test_bash(self):
        commands = self.bash("")
        self.assertTrue({"embed", "extend", "completion", "--help"} <= set(commands))
        self.assertNotIn("options", commands)
        self.assertEqual(self.bash("em"), ["embed"])
        self.assertEqual(self.bash("embed", "--meth"), ["--method"])
        self.assertTrue({"dm", "vdm", "lavdm", "roseland"} <= set(self.bash("embed", "--method", "")))
        self.assertEqual(self.bash("embed", "--method", "=", "ro"), ["roseland"])
        self.assertTrue({"dm", "vdm"} <= set(self.bash("embed", "--method", "=")))
        self.assertIn("kmeans", self.bash("embed", "x.npy", "--design", ""))
        self.assertNotIn("FILE", self.bash("embed", "x.npy", "--design", ""))
        self.assertEqual(self.bash("embed", "-o", "x"), [])  # files, by the shell
        self.assertEqual(self.bash("sample", "kl"), ["klein"])
        self.assertEqual(self.bash("completion", ""), ["bash", "zsh", "fish"])
        # every option of every command, as its help lists it
        for name in commands:
            if name.startswith("-"):
                continue
            offered = set(self.bash(name, "--"))
            listed = {word.strip(",") for line in self.done(name, "--help").stdout.split("\n")
                      if line.startswith("  -") for word in line.split()[:2] if word.startswith("--")}
            self.assertEqual(offered, listed, name)

    def test_zsh(self):
        if not shutil.which("zsh"):
            self.skipTest("no zsh")
        self.text("_lavdm", self.done("completion", "zsh").stdout)
        subprocess.run(["zsh", "-n", self.path("_lavdm")], check=True)
        script = "autoload -U compinit; compinit -D -u; source ./_lavdm; print $_comps[lavdm]"
        run = subprocess.run(["zsh", "-fc", script], cwd=self.folder, stdout=subprocess.PIPE, text=True, check=True)
        self.assertEqual(run.stdout.strip(), "_lavdm")

    def test_fish(self):
        if not shutil.which("fish"):
            self.skipTest("no fish")
        self.text("l.fish", self.done("completion", "fish").stdout)
        subprocess.run(["fish", "-n", self.path("l.fish")], check=True)

        def fish(line):
            run = subprocess.run(["fish", "-N", "-c", f"source l.fish; complete -C '{line}'"], cwd=self.folder, env={"HOME": self.folder, "PATH": "/usr/bin:/bin"},
                                 stdout=subprocess.PIPE, text=True, check=True)
            return [row.split("\t")[0] for row in run.stdout.splitlines()]

        self.assertIn("embed", fish("lavdm "))
        self.assertTrue({"dm", "vdm"} <= set(fish("lavdm embed --method ")))
        self.assertIn("--landmarks", fish("lavdm embed --land"))

    def test_refused(self):
        self.refused(1, "completion", "tcsh", says=["'tcsh' is no shell", "bash, zsh or fish"])
        self.refused(1, "completion", says="something is missing")


if __name__ == "__main__":
    unittest.main()
