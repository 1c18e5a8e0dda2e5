"""The documentation: links lead somewhere, and the indices name every page, study and example."""
import glob
import os
import re
import subprocess
import unittest

from support import ROOT

LINK = re.compile(r'\]\(([^)#\s]*)(?:#([^)\s]*))?\)|src="([^"]+)"')


def read(*path):
    with open(os.path.join(ROOT, *path)) as file:
        return file.read()


def names(pattern):
    return sorted(os.path.relpath(path, ROOT) for path in glob.glob(os.path.join(ROOT, pattern)))


def anchors(text):
    """The headings of a page as links call them."""
    found = re.findall(r"^#+ (.*)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in found}


class Documentation(unittest.TestCase):
    def test_links(self):
        pages = [page for pattern in ("*.md", "docs/*.md", "examples/*.md", "studies/*.md") for page in names(pattern)]
        self.assertGreater(len(pages), 15)
        for page in pages:
            for path, anchor, picture in LINK.findall(read(page)):
                target = os.path.normpath(os.path.join(os.path.dirname(page), path or picture)) if path or picture else page
                if (path or picture).startswith("http"):
                    continue
                self.assertTrue(os.path.exists(os.path.join(ROOT, target)), f"{page}: {target}")
                if anchor:
                    self.assertIn(anchor, anchors(read(target)), f"{page}: {target}")

    def test_index_of_pages(self):
        index = read("docs", "README.md")
        for page in names("docs/*.md"):
            if page != "docs/README.md":
                self.assertIn(f"({os.path.basename(page)})", index)

    def test_studies(self):
        listed = subprocess.run([os.path.join(ROOT, "tools", "study")], check=True, stdout=subprocess.PIPE, text=True).stdout
        studies = [os.path.basename(path) for path in names("studies/*/")]
        self.assertEqual(sorted(re.findall(r"^  (\w+) +\w.*\(.*\)$", listed, re.M)), studies)
        for study in studies:
            self.assertIn(f"`make study NAME={study}`", read("docs", "README.md"))
            self.assertIn(f"(study_{study} ", read("studies", "CMakeLists.txt"))

    def test_examples(self):
        index, script = read("examples", "README.md"), read("examples", "run")
        examples = names("examples/c/*.c") + names("examples/python/*.py")
        self.assertGreater(len(examples), 9)
        for path in examples:
            self.assertIn(f"]({os.path.relpath(path, 'examples')})", index)
            self.assertRegex(script, rf"set -- .*\b{os.path.splitext(os.path.basename(path))[0]}\b")


if __name__ == "__main__":
    unittest.main()
