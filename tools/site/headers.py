#!/usr/bin/env python3
"""The reference of the C API, a page for each header, from the comments that stand in it.

    tools/site/headers.py INCLUDE OUT

A comment belongs to the declaration below it (without a blank line between) or to its left; functions that follow one
another without a blank line or a comment share that of the first. Fails if a function has no text.
"""
import pathlib
import re
import sys
import textwrap


class Piece:
    """A declaration (or a comment, if `code` is empty) with the text about it, on lines first .. last."""

    def __init__(self, code, text, first, last):
        self.code, self.text, self.first, self.last = code, text, first, last


def plain(comment):
    """The text of a comment, without its stars."""
    body = re.sub(r"^/\*|\*/$", "", comment)
    lines = [re.sub(r"^\s*\* ?", "", line) if "\n" in body and re.match(r"\s*\*", line) else line
             for line in body.split("\n")]
    if len(lines) > 1 and not any(re.match(r"\s*\*", line) for line in body.split("\n")[1:] if line.strip()):
        lines = [line.strip() for line in lines]  # a comment at the right, over several lines
    return "\n".join([lines[0].strip()] + [line.rstrip() for line in lines[1:]]).strip("\n")


def pieces(source, end, line=1):
    """Cuts source at `end` (';' or ',') outside of brackets; comments go where they belong."""
    out, code, depth, first, at, aside = [], "", 0, line, 0, None
    waiting = None  # a comment that may belong to what is below

    def finish():
        nonlocal code, waiting, aside
        text = waiting.text if waiting is not None and waiting.last >= first - 1 else ""
        if waiting is not None and not text:
            out.append(waiting)
        out.append(Piece(code.strip(), "\n".join(filter(None, (text, aside))), first, line))
        code, waiting, aside = "", None, None

    while at < len(source):
        if source.startswith("/*", at):
            stop = source.index("*/", at) + 2
            comment, above = source[at:stop], line
            line += comment.count("\n")
            at = stop
            if depth and not code.rstrip().endswith("("):
                code += comment
            elif code.strip():
                aside = plain(comment)
            elif out and out[-1].code and out[-1].last == above:
                out[-1].text = "\n".join(filter(None, (out[-1].text, plain(comment))))
                out[-1].last = line
            else:
                if waiting is not None:
                    out.append(waiting)
                waiting = Piece("", plain(comment), above, line)
            continue
        char = source[at]
        at += 1
        if not code.strip() and not char.isspace():
            first = line
        if not code.strip() and char == "#":  # a directive, to the end of its line
            stop = source.find("\n", at)
            match = re.match(r"define\s+(\w+(?:\([^)]*\))?)\s*((?:(?!/\*).)*)", source[at:stop])
            at += match.end() if match else stop - at
            if match and match[2].strip() and not match[1].startswith("LAVDM_API"):
                code = "#" + match[0].strip()
                finish()
            continue
        depth += (char in "({[") - (char in ")}]")
        line += char == "\n"
        if char == end and not depth:
            finish()
        else:
            code += char
    if code.strip():
        finish()
    elif waiting is not None:
        out.append(waiting)
    return out


def escape(text):
    return re.sub(r"([\\*`|_])", r"\\\1", text)


class Writer:
    def __init__(self, kinds):
        self.kinds, self.lines = kinds, []

    def add(self, text, depth):
        self.lines += textwrap.indent(text, "   " * depth).split("\n") + [""]

    def prose(self, text, depth, name=""):
        """A comment as paragraphs, lists and blocks of what is indented; names of the API are links."""
        def words(paragraph):
            out = []
            for part in re.split(r"(`[^`]+`|\b(?:lavdm|LAVDM)_\w+(?:\(\)|[.]\w+)?)", " ".join(paragraph.split())):
                bare = part.strip("`").replace("()", "")
                if bare in self.kinds and bare != name:
                    kind, whole = self.kinds[bare]
                    out.append(f":c:{kind}:`{bare} <{whole}>`")
                elif part.startswith("`") or bare in self.kinds:
                    out.append(f"``{bare}``")
                else:
                    out.append(escape(part))
            glued = out[0]
            for before, part in zip(out, out[1:]):
                glued += ("\\ " if before and part and not before[-1:].isspace() and not part[0].isspace()
                          and "`" in before + part else "") + part
            return glued

        for block in re.split(r"\n\s*\n", text):
            parts = []  # (what it is, its lines): text, an item of a list, or what is indented
            for line in block.split("\n"):
                if re.match(r"\s*- ", line):
                    parts.append(("item", [re.sub(r"\s*- ", "", line, count=1)]))
                elif re.match(r"\s\s", line):
                    if not parts or parts[-1][0] == "text":
                        parts.append(("block", []))
                    parts[-1][1].append(line)
                else:
                    if not parts or parts[-1][0] != "text":
                        parts.append(("text", []))
                    parts[-1][1].append(line)
            for kind, lines in parts:
                if kind == "block":
                    self.add("::", depth)
                    self.add(textwrap.dedent("\n".join(lines)), depth + 1)
                else:
                    self.add(("- " if kind == "item" else "") + words("\n".join(lines)), depth)

    def item(self, kind, signatures, text, depth, name=""):
        head = f".. c:{kind}:: "
        self.add(head + ("\n" + " " * len(head)).join(signatures), depth)
        if text:
            self.prose(text, depth + 1, name)


def names(declaration):
    """`const double *a, *b` as two declarations, each with its name."""
    declaration = " ".join(declaration.split())
    if "(" in declaration:
        return [declaration]
    match = re.match(r"(.*?)\s*((?:\*\s*(?:const\s*)?)*\w+(?:\[\w+\])*(?:\s*,\s*(?:\*)*\w+(?:\[\w+\])*)*)$", declaration)
    return [f"{match[1]} {part.strip()}" for part in match[2].split(",")]


def field_name(declaration):
    return re.search(r"\(\*(\w+)\)|(\w+)(?:\[\w+\])*$", declaration).group(0).strip("(*)").split("[")[0]


def uncomment(code):
    return " ".join(re.sub(r"/\*.*?\*/", " ", code, flags=re.S).split())


def write_members(writer, body, line, end, kind):
    for piece in pieces(body, end, line):
        if not piece.code:
            writer.prose(piece.text, 1)
        elif kind == "enumerator":
            writer.item(kind, [piece.code], piece.text, 1, piece.code.split()[0])
        else:
            writer.item(kind, names(uncomment(piece.code)), piece.text, 1)


def declared(piece):
    """(kind, name, body, line of the body) of what a piece declares."""
    code = piece.code
    if code.startswith("#define"):
        return "macro", re.match(r"#define\s+(\w+)", code)[1], None, 0
    match = re.match(r"(?:typedef\s+)?(enum|struct)\s*\{(.*)\}\s*(\w*)$", code, re.S)
    if match:
        return match[1], match[3], match[2], piece.first + code[:match.start(2)].count("\n")
    match = re.match(r"typedef\s+struct\s+(\w+)\s+\1$", code)
    if match:
        return "struct", match[1], None, 0
    match = re.match(r"typedef\s.*\(\*(\w+)\)\(", code, re.S)
    if match:
        return "type", match[1], None, 0
    match = re.match(r"LAVDM_API\s.*?(\w+)\(", code, re.S)
    if match:
        return "func", match[1], None, 0
    raise SystemExit(f"line {piece.first}: not understood: {code}")


def read(path):
    text = path.read_text()
    text = re.sub(r"#ifdef __cplusplus.*?#endif", lambda m: "\n" * m[0].count("\n"), text, flags=re.S)
    return pieces(text, ";")


def known(headers):
    """What the names of the API are: (kind, name with that of its struct or enum before it)."""
    kinds = {}
    for parts in headers.values():
        for kind, name, body, line in (declared(piece) for piece in parts if piece.code):
            kinds[name] = kind, name
            if kind == "enum":
                for entry in pieces(body, ",", line):
                    entry = entry.code.split()[0]
                    kinds[entry] = "enumerator", f"{name or '@status'}.{entry}"
            elif body is not None:
                for entry in (names(uncomment(piece.code)) for piece in pieces(body, ";", line) if piece.code):
                    kinds.update({f"{name}.{field}": ("member", f"{name}.{field}") for field in map(field_name, entry)})
    kinds.pop("", None)
    return kinds


def write(header, parts, kinds):
    writer, missing = Writer(kinds), []
    writer.lines += [header, "=" * len(header), ""]
    writer.add(f".. code-block:: c\n\n   #include <{header}>", 0)
    before = None
    for place, piece in enumerate(parts):
        section = re.match(r"-{5,}\s*(.*)$", piece.text) if not piece.code else None
        if section:
            title = section[1].capitalize()
            writer.lines += [title, "-" * len(title), ""]
        if section or not piece.code:
            if not section:
                writer.prose(piece.text, 0)
            before = None
            continue
        kind, name, body, line = declared(piece)
        signature = uncomment(piece.code).replace("LAVDM_API ", "")
        if kind == "func":
            alone = before is None or before.last < piece.first - 1
            text = piece.text
            if not text and not alone and before.kind == "func":
                text = before.text
            if not text:
                missing.append(f"{header}: {name} has no text")
            group = text and not piece.text and before is not None and before.text == text
            piece.kind, piece.text = kind, text
            if group:  # one more signature of the item before
                writer.lines[before.mark] += "\n" + " " * len(".. c:function:: ") + signature
                piece.mark = before.mark
            else:
                piece.mark = len(writer.lines)
                writer.item("function", [signature], text, 0, name)
        else:
            piece.kind, piece.mark = kind, 0
            if kind == "macro":
                defined = re.match(r"#define\s+(\w+(?:\([^)]*\))?)\s*(.*)", signature)
                writer.item("macro", [defined[1]], piece.text, 0, name)
                writer.add(f"is ``{defined[2]}``", 1)
            elif kind == "type":
                writer.item("type", [signature.replace("typedef ", "", 1)], piece.text, 0, name)
            elif name:
                writer.item(kind, [name], piece.text, 0, name)
            else:
                writer.prose(piece.text, 0)
                writer.item(kind, ["@status"], "", 0)
            if body is not None:
                write_members(writer, body, line, "," if kind == "enum" else ";",
                              "enumerator" if kind == "enum" else "member")
        before = piece
    return "\n".join(writer.lines) + "\n", missing


def main():
    include, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    paths = [include / "lavdm.h"] + sorted((include / "lavdm").glob("*.h"))
    headers = {str(path.relative_to(include)): read(path) for path in paths}
    kinds, missing = known(headers), []
    rows, functions = [], []
    for header, parts in headers.items():
        page, lacking = write(header, parts, kinds)
        missing += lacking
        name = header.replace("/", "-").removesuffix(".h")
        (out / f"{name}.rst").write_text(page)
        about = next((piece.text for piece in parts if not piece.code or piece.text), "")
        rows.append((name, header, re.split(r"(?<=[.])\s", " ".join(about.split()))[0]))
        functions += [declared(piece)[1] for piece in parts if piece.code and declared(piece)[0] == "func"]
    index = ["The C API", "=========", "",
             "Made from the comments of the headers. :ref:`genindex` has every function, struct, field and constant.",
             ""]
    for name, header, about in rows:
        index += [f":doc:`{header} <{name}>`", f"   {escape(about)}", ""]
    index += [".. toctree::", "   :hidden:", ""] + [f"   {header} <{name}>" for name, header, _ in rows]
    index += ["", "Functions", "---------", "", ".. rst-class:: columns-list", ""] + [f"- :c:func:`{name}`" for name in sorted(functions)]
    (out / "index.rst").write_text("\n".join(index) + "\n")
    if missing:
        sys.exit("\n".join(missing))


if __name__ == "__main__":
    main()
