"""What is in a page of `lavdm report`: its JSON, and its arrays as NumPy's."""
import base64
import html.parser
import json
import zlib

import numpy as np


class _Blocks(html.parser.HTMLParser):
    """The text of each element <script> with an id, as an HTML parser takes the page apart."""

    def __init__(self):
        super().__init__(convert_charrefs=False)
        self.blocks, self.open, self.scripts = {}, None, 0

    def handle_starttag(self, tag, attributes):
        if tag == "script":
            self.scripts += 1
            self.open = dict(attributes).get("id")
            if self.open:
                assert self.open not in self.blocks, "a block twice"
                self.blocks[self.open] = ""

    def handle_data(self, data):
        if self.open:
            self.blocks[self.open] += data

    def handle_endtag(self, tag):
        if tag == "script":
            self.open = None


class Page:
    def __init__(self, path):
        with open(path, encoding="utf-8", newline="") as file:
            self.text = file.read()
        parser = _Blocks()
        parser.feed(self.text)
        self.blocks, self.scripts = parser.blocks, parser.scripts
        refuse = lambda word: (_ for _ in ()).throw(ValueError(word))
        self.json = json.loads(self.blocks["page"], parse_constant=refuse)
        assert self.json["format"] == 1
        self.kind, self.facts, self.notes = self.json["kind"], self.json["facts"], self.json["notes"]
        self.rows, self.of, self.arrays = self.json["rows"], self.json["of"], self.json["arrays"]

    def __contains__(self, name):
        return name in self.arrays

    def block(self, number):
        return zlib.decompress(base64.b64decode(self.blocks[f"b{number}"], validate=True))

    def _column(self, a, j):
        raw = self.block(a["blocks"][j])
        if a["type"] == "u16":
            code = np.frombuffer(raw, "<u2")
            low, high = a["low"][j], a["high"][j]
            return np.where(code == 65535, np.nan, low + (high - low) * (code / 65534))
        if a.get("shuffle"):
            raw = np.frombuffer(raw, np.uint8).reshape(4, -1).T.tobytes()
        return np.frombuffer(raw, {"f32": "<f4", "i32": "<i4", "f64": "<f8"}[a["type"]])

    def __getitem__(self, name):
        a = self.arrays[name]
        if "values" in a:
            values = [np.nan if v is None else v for v in a["values"]]
            return np.array(values, float).reshape(a["shape"])
        if a["type"] == "text":
            lines = self.block(a["blocks"][0]).decode("utf-8").split("\n")
            assert len(lines) == a["shape"][0]
            return lines
        if a["type"] == "u8":
            per, shape = a["per"], a["shape"]
            assert len(a["blocks"]) == -(-shape[0] // per)
            return np.frombuffer(b"".join(map(self.block, a["blocks"])), np.uint8).reshape(shape)
        columns = int(np.prod(a["shape"][1:], dtype=int))
        assert len(a["blocks"]) == columns, name
        return np.stack([self._column(a, j) for j in range(columns)], 1).reshape(a["shape"])

    def check(self):
        """Every array decodes to its shape, and every block belongs to one."""
        for name in self.arrays:
            self[name]
        used = [b for a in self.arrays.values() for b in a.get("blocks", [])]
        assert sorted(used) == list(range(len(self.blocks) - 1)), "blocks that no array has"
        return self

    def labels(self):
        a = self.arrays["labels"]
        levels = a.get("levels") or self["label_levels"]
        return [None if c < 0 else levels[c] for c in self["labels"]]
