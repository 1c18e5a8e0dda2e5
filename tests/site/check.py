#!/usr/bin/env python3
"""The built site holds together: no dead link or anchor, nothing loaded from elsewhere, a search that finds.

    tests/site/check.py SITE INCLUDE
"""
import html.parser
import json
import pathlib
import re
import sys
import urllib.parse

LOADS = {"script": "src", "img": "src", "iframe": "src", "link": "href", "source": "srcset", "object": "data"}
VOID = {"stylesheet", "icon", "shortcut", "preload", "modulepreload"}  # kinds of <link> that are fetched


class Page(html.parser.HTMLParser):
    """What a page points to, what it loads, and the places in it that can be pointed to."""

    def __init__(self, path):
        super().__init__()
        self.links, self.loads, self.ids = [], [], set()
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.ids.update(filter(None, (given.get("id"), given.get("name"))))
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        if tag == "meta" and given.get("http-equiv", "").lower() == "refresh":
            self.links.append(given["content"].partition("url=")[2])
        address = given.get(LOADS.get(tag, ""))
        if address and (tag != "link" or VOID & set(given.get("rel", "").split())):
            self.loads.append(address)


def external(address):
    return bool(re.match(r"[a-z][a-z0-9+.-]*:|//", address, re.I)) and not address.startswith("data:")


def broken(site, path, address, pages):
    """Why an address of a page leads nowhere; or nothing."""
    parts = urllib.parse.urlsplit(address)
    if parts.path.startswith("/"):
        return "begins at the root of a server"
    target = path.parent / urllib.parse.unquote(parts.path) if parts.path else path
    target = target.resolve()
    if not target.is_file():
        return "is not there"
    if site not in target.parents:
        return "is outside of the site"
    if parts.fragment and target.suffix == ".html" and urllib.parse.unquote(parts.fragment) not in pages[target].ids:
        return "has no such anchor"
    return ""


def check_links(site, pages):
    for path, page in pages.items():
        for address in page.links + page.loads:
            if external(address):
                if address in page.loads:
                    yield f"{path.name} loads {address}"
                continue
            why = not address.startswith("data:") and broken(site, path, address, pages)
            if why:
                yield f"{path.relative_to(site)}: {address} {why}"


def check_loads(site):
    """Styles and scripts name no other host, but in comments and names of XML."""
    for path in [*site.rglob("*.css"), *site.rglob("*.js")]:
        if path.name == "searchindex.js":
            continue
        text = path.read_text()
        for found in re.finditer(r"@import\s+(?:url\()?[\"']?([^\"');]+)|url\(\s*[\"']?([^\"')]+)|"
                                 r"(?:fetch|import|importScripts|open)\(\s*[\"']([^\"']+)", text):
            address = next(filter(None, found.groups()))
            if external(address) or address.startswith("/"):
                yield f"{path.name} loads {address[:80]}"


def check_search(site, words):
    text = (site / "searchindex.js").read_text()
    index = json.loads(re.fullmatch(r"Search\.setIndex\((.*)\)\s*;?", text, re.S)[1])
    for word, page in words:
        found = [index["terms"].get(word, []), index["titleterms"].get(word, [])]
        numbers = {number for entry in found for number in (entry if isinstance(entry, list) else [entry])}
        if page not in {index["docnames"][number] for number in numbers}:
            yield f"the search does not find '{word}' on {page}"


def check_functions(site, include, pages):
    """Every function of the headers has its place in the reference, with a text below it."""
    names = re.findall(r"^LAVDM_API\s[^;]*?\b(lavdm_\w+)\(", "".join(
        path.read_text() for path in include.rglob("*.h")), re.M)
    reference = "".join(path.read_text() for path in (site / "api").glob("*.html"))
    if len(names) < 50:
        yield "the headers have hardly any function"
    for name in names:
        match = re.search(rf'<dt class="sig[^"]*" id="c\.{name}">.*?</dt>\s*<dd>(.*?)</dd>', reference, re.S)
        more = re.search(rf'<dt class="sig[^"]*" id="c\.{name}">.*?</dt>\s*<dt', reference, re.S)
        if not more and (not match or not re.sub(r"<[^>]*>", "", match[1]).strip()):
            yield f"{name} is not in the reference, or has no text"


def main():
    site, include = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    pages = {path: Page(path) for path in site.rglob("*.html")}
    faults = [*check_links(site, pages), *check_loads(site), *check_functions(site, include, pages),
              *check_search(site, [("landmark", "docs/glossary"), ("landmark", "docs/manual"), ("holonomi", "docs/glossary"),
                                   ("lavdm_fit", "README")])]
    size = sum(path.stat().st_size for path in site.rglob("*") if path.is_file() and "reports" not in path.parts)
    if size > 30e6:
        faults.append(f"the site has {size / 1e6:.0f} MB without its reports")
    print(f"{len(pages)} pages, {sum(len(page.links) for page in pages.values())} links, {size / 1e6:.1f} MB, "
          f"{len(faults)} faults")
    sys.exit("\n".join(faults) if faults else 0)


if __name__ == "__main__":
    main()
