"""Mutants of a C source: one operator, constant, condition or statement of its code changed.

`sites(text)` lists the places; each has the changes that may be made there, as (kind, start, end, new text).
Comments, strings and lines of the preprocessor are left alone. A change that the compiler refuses (a `*` that
is no product, a declaration that is needed) is for the caller to drop.
"""
import re

TOKEN = re.compile(
    r'(?P<skip>\s+|//[^\n]*|/\*.*?\*/|^[ \t]*\#(?:\\\n|[^\n])*)'
    r'|(?P<string>"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\')'
    r'|(?P<number>(?:0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)[uUlLfF]*)'
    r'|(?P<name>[A-Za-z_]\w*)'
    r'|(?P<mark><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|[-+*/%&|^~!<>=?:;,.(){}\[\]])',
    re.S | re.M)

SWAPS = {
    "+": ["-"], "-": ["+"], "*": ["/"], "/": ["*"], "%": ["*"], "+=": ["-="], "-=": ["+="], "*=": ["/="],
    "/=": ["*="], "<<": [">>"], ">>": ["<<"], "&": ["|"], "|": ["&"], "&=": ["|="], "|=": ["&="],
    "<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"], "==": ["!="], "!=": ["=="],
    "&&": ["||"], "||": ["&&"], "++": ["--"], "--": ["++"],
}
BINARY = {"+", "-", "*", "&"}  # also unary: a swap needs an operand before
WORDS = {"return", "goto", "case", "default", "if", "else", "for", "while", "do", "switch", "break", "continue",
         "sizeof", "typedef", "static", "const", "struct", "enum", "union"}


def tokens(text):
    place, found = 0, []
    while place < len(text):
        match = TOKEN.match(text, place)
        if not match:
            raise ValueError(f"no token at {text[place:place + 20]!r}")
        if match.lastgroup != "skip":
            found.append((match.lastgroup, match.group(), match.start(), match.end()))
        place = match.end()
    return found


def closing(found, i):
    """The place of the bracket that closes the one at i."""
    depth = 0
    for j in range(i, len(found)):
        depth += found[j][1] in "([{" and found[j][0] == "mark"
        depth -= found[j][1] in ")]}" and found[j][0] == "mark"
        if depth == 0:
            return j
    raise ValueError("a bracket stays open")


def statement(found, i):
    """The end of a call or assignment that begins at i, if one does."""
    before = found[i - 1][1]
    if before not in (";", "{", "}", ")", "else") or found[i][1] in WORDS or found[i][0] == "number":
        return None
    if found[i][0] != "name" and found[i][1] not in ("*", "(", "++", "--"):
        return None
    if found[i][0] == "name" and (found[i + 1][0] == "name" or found[i + 1][1] == "*"):
        return None  # a declaration
    changes, j = False, i
    while found[j][1] != ";":
        if found[j][1] in "{}":
            return None
        changes |= found[j][1] in ("=", "(", "++", "--") or found[j][1] in ("+=", "-=", "*=", "/=", "|=", "&=")
        j = closing(found, j) + 1 if found[j][1] in ("(", "[") else j + 1
    return j if changes else None


def sites(text):
    found, places = tokens(text), []
    round_depth = brace_depth = 0
    for i, (sort, word, start, end) in enumerate(found):
        if sort == "mark":
            round_depth += (word == "(") - (word == ")")
            brace_depth += (word == "{") - (word == "}")
        if not i or not brace_depth:
            continue  # outside of functions
        last = found[i - 1]
        operand = last[0] in ("name", "number") and last[1] not in WORDS or last[1] in (")", "]")
        if sort == "mark" and word in SWAPS and (operand or word not in BINARY):
            choices = [("operator", start, end, new) for new in SWAPS[word]]
            if word in "+-" and found[i + 1][1] == "1":
                choices.append(("one dropped", start, found[i + 1][3], ""))
            places.append(choices)
        elif sort == "number" and word in ("0", "1"):
            places.append([("constant", start, end, "1" if word == "0" else "0")])
        elif word in ("break", "continue") and sort == "name":
            places.append([("jump removed", start, end, "")])
        elif word in ("if", "while") and sort == "name" and found[i + 1][1] == "(":
            j = closing(found, i + 1)
            inside = text[found[i + 1][3]:found[j][2]]
            places.append([("condition negated", found[i + 1][3], found[j][2], f"!({inside})")])
        if round_depth == (1 if word == "(" and sort == "mark" else 0):
            j = statement(found, i)
            if j is not None:
                places.append([("statement removed", start, found[j][2], "")])
    return places
