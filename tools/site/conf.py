"""How docs/ becomes a site (tools/site/build). The pages stay plain Markdown: all that Sphinx wants is here."""
import os
import re

from docutils import nodes
from sphinx import addnodes

project = "lavdm"
copyright = author = "the authors of lavdm"
version = release = os.environ.get("LAVDM_VERSION", "")
html_title = f"lavdm {version}"
extensions = ["myst_parser", "sphinx_copybutton"]
root_doc = "README"
include_patterns = ["*.md", "docs/*.md", "examples/*.md", "api/*.rst"]
myst_heading_anchors = 4  # as GitHub names them
myst_enable_extensions = ["html_image"]  # pictures of a given width
highlight_language = "text"
smartquotes = False
nitpick_ignore = [("c:identifier", name) for name in ("size_t", "int32_t", "int64_t", "uint64_t")]

html_theme, html_theme_path = "theme", ["."]
html_extra_path = ["extra"]
html_copy_source = html_show_sourcelink = False
copybutton_prompt_text, copybutton_prompt_is_regexp = r">>> |\.\.\. ", True

# What stands at the left of every page: (heading, [(what it is called there, the page)]).
contents = [
    ("Begin", [("Your own data in ten minutes", "docs/tutorial"), ("Which method, when", "docs/methods"),
               ("Glossary", "docs/glossary"), ("All pages", "docs/README")]),
    ("Look", [("Gallery of reports", "docs/reports"), ("Gallery in Python", "docs/gallery"),
              ("Examples", "examples/README"), ("Examples in C", "docs/examples")]),
    ("Use", [("The manual", "docs/manual"), ("Every option", "docs/options"), ("Python", "docs/python"),
             ("Octave and MATLAB", "docs/octave"), ("C", "api/index")]),
    ("Measured", [("Real data", "docs/real"), ("Reliability", "docs/reliability"), ("Speed", "docs/performance"),
                  ("The paper's experiments", "docs/paper"), ("Orientation", "docs/orient"),
                  ("Coordinates", "docs/coordinates"), ("Rivals", "docs/rivals"),
                  ("Synchronisation", "docs/sync"), ("Optima, proved", "docs/certify"), ("Class averages", "docs/average"),
                  ("Denoising", "docs/denoise"), ("Hours of faults", "docs/soak")]),
    ("Project", [("Changes", "CHANGELOG"), ("Contributing", "CONTRIBUTING"), ("Security", "SECURITY")]),
]
commands = re.compile(r"^\s*(#|$|(build/)?lavdm |make\b|cc |python3 |/usr/bin/python3 |tools/|studies/|env/bin/|"
                      r"[A-Z_]+=\S+ )")


def add_contents(app, page, source):
    if page != root_doc:
        return
    for heading, entries in contents:
        lines = "\n".join(f"{name} <{entry}>" for name, entry in entries)
        source[0] += f"\n```{{toctree}}\n:hidden:\n:caption: {heading}\n\n{lines}\n```\n"


def show_reports(app, page, source):
    """`<!-- report NAME -->` is the report itself; on GitHub it is nothing."""
    source[0] = re.sub(r"^<!-- report (\S+) -->$", r'<iframe class="report" src="../reports/\1" loading="lazy" '
                       r'title="The report \1"></iframe>\n<p><a href="../reports/\1">Open \1 alone</a></p>',
                       source[0], flags=re.M)


def choose_pictures(app, page, source):
    """A <picture> for light and dark ground follows the button of the site, as two images of which one is seen."""
    source[0] = re.sub(r'<picture>\s*<source [^>]*dark[^>]*srcset="([^"]+)">\s*<img alt="([^"]*)" src="([^"]+)">\s*</picture>',
                       r'<img alt="\2" src="\3" class="by-day">\n<img alt="\2" src="\1" class="by-night">', source[0])


def colour_commands(app, doctree):
    """Blocks without a language in which every line is a command are those of a shell."""
    for block in doctree.findall(nodes.literal_block):
        if block.get("language", "text") in ("text", "default") and all(
                commands.match(line) for line in block.astext().splitlines()):
            block["language"] = "sh"


def set_formulas(app, doctree):
    """D_X^{-a} of the text is set with an index and an exponent; code stays as it is."""
    parts = re.compile(r"\^(?:\{([^{}]+)\}|([^\W_])(?![\w/]))|(?<=[^\W\d_])_(?:\{([^{}]+)\}|([A-Za-zα-ω0-9]{1,2})(?![A-Za-z0-9_]))")
    for text in list(doctree.findall(nodes.Text)):
        above = text.parent
        if isinstance(above, (nodes.literal, nodes.literal_block, nodes.title, nodes.raw, nodes.comment)) or not parts.search(text):
            continue
        new, at = [], 0
        for found in parts.finditer(text):
            if text[found.start()] == "_" and re.search(r"[A-Za-z]{2}$", text[:found.start()]):
                continue  # a word of several letters is no symbol
            kind = nodes.superscript if text[found.start()] == "^" else nodes.subscript
            inner = next(filter(None, found.groups()))
            new += [nodes.Text(text[at:found.start()]), kind("", inner)]
            at = found.end()
        above.replace(text, new + [nodes.Text(text[at:])])


def link_folders(app, doctree):
    """A link to a folder goes to the README of it, or of the one above."""
    here = app.env.docname
    for link in list(doctree.findall(addnodes.pending_xref)):
        folder = os.path.normpath(os.path.join(os.path.dirname(here), link["reftarget"]))
        while link["reftype"] == "myst" and folder and os.path.isdir(os.path.join(app.srcdir, folder)):
            page = os.path.normpath(os.path.join(folder, "README"))
            if page in app.env.found_docs:
                address = os.path.relpath(page, os.path.dirname(here) or ".") + ".html"
                link.replace_self(nodes.reference("", "", *link.children, refuri=address))
                break
            folder = os.path.dirname(folder)


def leave_out(app, page, template, context, doctree):
    """Sphinx brings scripts for themes of old, 350 KB that nothing here uses."""
    context["script_files"] = [script for script in context["script_files"] if not re.search(
        r"jquery|underscore|frameworks_compat", getattr(script, "filename", None) or "")]


def setup(app):
    app.connect("html-page-context", leave_out)
    app.connect("source-read", add_contents)
    app.connect("source-read", show_reports)
    app.connect("source-read", choose_pictures)
    app.connect("doctree-read", colour_commands)
    app.connect("doctree-read", set_formulas)
    app.connect("doctree-read", link_folders)
    return {"parallel_read_safe": True}
