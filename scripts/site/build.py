# build.py - the documents as a site that opens from a folder, without network: build.py SITE [MANUAL]
#
#     README.md is index.html; docs/*.md, CONTRIBUTING, CHANGELOG, the manual (docs/midpool.1 and *.1 of the folder MANUAL, where the
#     program's build puts them) and the library's header are a page each; a file or folder that one of them links to is one with its text.
#     pandoc reads Markdown and writes formulas as MathML, mandoc the manual. What this adds: the frame of a page, links from page
#     to page, sections that are cited by number ("math.md 3.4"), pictures in place, and the index that site.js searches.
#
# A link to a file or a section that is not there ends it with a line that names both. The looks are those of reports
# (src/report/page.css) with site.css behind them.
# SPDX-License-Identifier: MIT
import concurrent.futures
import glob
import html
import html.parser
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# The order of pages, group by group. A document that is not named here comes last among those of DEFAULT.
DEFAULT = "Use"
GROUPS = {
    "Start": ["README", "own-data", "python", "molecules"],
    "Use": ["library", "cluster"],
    "Reference": ["operators", "math", "protocol", "formats", "include/midpool.h", "include/midpool.hpp", "include/midpool/operator.h"],
    "Results": ["results", "measurements"],
    "Insides": ["tour", "design", "adding-an-operator", "CONTRIBUTING", "CHANGELOG"],
    "Manual": ["docs/midpool.1"],
}
# Sections that are cited: "math.md 2.1 to 2.7", "math.md 3, 4 and 9"; within a document "as 2.13 says". Versions of PyG are none.
CITED = re.compile(r"(?:docs/)?([a-z-]+\.md)(?:(\s)(\d+(?:\.\d+)?)((?:(?:,|\sand|\sto)\s\d+(?:\.\d+)?)*))?|"
                   r"(?<![\w.])(?<!PyG\s)(?<!from\s)(\d+\.\d+)(?!\w|\.\d)")
WIDTHS = [("wide", 48), ("broad", 22)]  # characters: cells with more of them may break their lines, but have room
HEADS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "dt": 4}
VOID = {"br", "col", "hr", "img", "input", "link", "meta", "wbr"}


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        return f.read()


def tool(source, text, *words):
    done = subprocess.run(words, input=text, capture_output=True, text=True, encoding="utf-8", cwd=ROOT)
    if done.returncode:
        sys.exit("%s: %s: %s" % (source, words[0], done.stderr.strip()))
    return done.stdout


def squeezed(text):
    return " ".join(text.split())


def mathml(text):
    """pandoc's formulas as browsers draw them: a name is one upright word, += one sign; the TeX beside them is left out."""
    text = re.sub(r"<semantics>|</semantics>|<annotation.*?</annotation>", "", text, flags=re.S)
    text = re.sub(r'<mstyle mathvariant="normal">((?:<m[in]>[^<]*</m[in]>)+)</mstyle>',
                  lambda m: '<mi mathvariant="normal">%s</mi>' % re.sub("<[^>]*>", "", m[1]), text)
    text = re.sub(r"<mo([^>]*)>∥</mo>", r'<mo\1 lspace="0" rspace="0">‖</mo>', text)  # a norm, not a relation
    text = re.sub("<mo>([+−])</mo><mo>=</mo>", r"<mo>\1=</mo>", text)
    return re.sub(r'<math display="inline".*?</math>', long, text, flags=re.S)


def long(m):
    """A formula in a line cannot be broken: where it is wider than a phone, it scrolls."""
    return m[0] if len(re.sub("<[^>]*>", "", m[0])) < 24 else '<span class="long">%s</span>' % m[0]


class Section:
    def __init__(self, level, title, anchor):
        self.level, self.title, self.short, self.anchor, self.text = level, title, title, anchor, []


class Page:
    """One page: its source, its name in the site, what it is called, its sections, and its HTML before and after links are known."""

    def __init__(self, source, name):
        self.source, self.name = source, name
        self.title, self.body, self.sections, self.anchors, self.numbers = source, "", [], set(), {}

    def label(self):
        """What lists of pages call it."""
        return "Overview" if self.name == "index.html" else re.sub(r"\(1\)$", "", self.title.replace("midpool-", "midpool "))

    def convert(self):
        self.raw = self.draw()
        Scan(self).feed(self.raw)

    def number_sections(self):
        """Sections that are cited by their number."""
        for s in self.sections:
            number = re.match(r"(\d+(?:\.\d+)?) ", s.title)
            if number:
                self.numbers[number[1]] = s.anchor


class Document(Page):
    def draw(self):
        text = re.sub(r"^( *)```math\n(.*?)\n *```$", r"\1$$\n\2\n\1$$", read(self.source), flags=re.M | re.S)
        out = tool(self.source, text, "pandoc", "-f", "gfm+tex_math_dollars", "-t", "html5", "--mathml", "--no-highlight", "--wrap=preserve",
                   "--fail-if-warnings")
        out = re.sub(r"<colgroup>.*?</colgroup>\s*|<!--.*?-->\s*", "", out, flags=re.S)
        return mathml(out)


class Manual(Page):
    def draw(self):
        out = tool(self.source, None, "mandoc", "-T", "html", "-O", "fragment", self.source)
        out = re.sub(r'<table class="(?:head|foot)">.*?</table>', "", out, flags=re.S)
        out = re.sub(r"<(/?)h([12])\b", lambda m: "<%sh%d" % (m[1], int(m[2]) + 1), out)
        out = re.sub(r'<a class="permalink"[^>]*>(.*?)</a>', r"\1", out, flags=re.S)
        out = re.sub(r'(<(?!h\d|dt)\w+[^>]*) id="[^"]*"', r"\1", out)  # words inside of a line need no address
        name = os.path.basename(self.source)
        return "<h1>%s(%s)</h1>\n" % tuple(name.rsplit(".", 1)) + out


class Source(Page):
    """A file as it is. Its paragraphs are sections of the index where it is a header of the library."""

    def draw(self):
        lines = read(self.source).rstrip("\n").split("\n")
        rows = ['<span id="L%d">%s\n</span>' % (i + 1, html.escape(line)) for i, line in enumerate(lines)]
        return '<h1>%s</h1>\n<pre class="source"><code>%s</code></pre>\n' % (html.escape(self.source), "".join(rows))

    def convert(self):
        super().convert()
        if not self.source.startswith("include/"):
            return
        start, block = 1, []
        for i, line in enumerate(read(self.source).split("\n") + [""]):
            if line.strip():
                block.append(line + "\n")
                continue
            names = re.findall(r"\bmp_\w+(?=\()|(?<=} )mp_\w+", "".join(x for x in block if not x.startswith((" *", "/*"))))
            if start == 1:
                self.sections[0].text = block  # what the header says of itself
            elif names:
                self.sections.append(Section(2, ", ".join(dict.fromkeys(names)), "L%d" % start))
                self.sections[-1].text = block
            start, block = i + 2, []


class Folder(Page):
    def draw(self):
        names = [n for n in sorted(os.listdir(os.path.join(ROOT, self.source))) if os.path.isfile(os.path.join(ROOT, self.source, n))]
        rows = "".join('<li><a href="%s/%s">%s</a></li>\n' % (os.path.basename(self.source), n, n) for n in names)
        return "<h1>%s/</h1>\n<ul>\n%s</ul>\n" % (html.escape(self.source), rows)


class Pass(html.parser.HTMLParser):
    """Goes over HTML: `open` are the elements around."""

    def __init__(self, page):
        super().__init__(convert_charrefs=False)
        self.page, self.open = page, []

    def handle_starttag(self, tag, attrs):
        if tag not in VOID:
            self.open.append(tag)
        self.start(tag, dict(attrs))

    def handle_startendtag(self, tag, attrs):
        self.start(tag, dict(attrs))

    def handle_endtag(self, tag):
        while self.open and self.open.pop() != tag:
            pass
        self.end(tag)

    def handle_entityref(self, name):
        self.text("&%s;" % name)

    def handle_charref(self, name):
        self.text("&#%s;" % name)

    def handle_data(self, data):
        self.text(data)

    def end(self, tag):
        pass


class Scan(Pass):
    """First pass: title, sections with their text, anchors."""

    heads = False  # within the title of a section

    def start(self, tag, attrs):
        if "id" in attrs:
            self.page.anchors.add(attrs["id"])
        if tag in HEADS and (tag != "dt" or "id" in attrs):  # options of the manual are sections too
            self.heads = True
            self.page.sections.append(Section(HEADS[tag], "", attrs.get("id", "")))
            self.heading = []

    def end(self, tag):
        if self.heads and tag in HEADS:
            self.heads = False
            section, title = self.page.sections[-1], squeezed("".join(self.heading))
            section.title = re.sub("[\1\2]", "", title)
            section.short = re.sub("[\1\2]", "", re.sub(" (?:- |\\()(?:\1[^\2]*\2(?:, )?)+\\)?$", "", title))  # no names of files
            if tag == "h1":
                self.page.title = section.title
        elif self.page.sections and tag in ("p", "li", "td", "th", "pre", "tr", "dt", "dd"):
            self.page.sections[-1].text.append(" ")

    def text(self, data):
        data = html.unescape(data)
        if not self.page.sections:
            return
        if self.heads:
            self.heading.append("\1%s\2" % data if "code" in self.open else data)
        else:
            self.page.sections[-1].text.append(data)


class Link(Pass):
    """Second pass: the HTML of the page with links that lead to pages of the site."""

    def __init__(self, page, site):
        super().__init__(page)
        self.site, self.out, self.cell = site, [], 0

    def start(self, tag, attrs):
        raw = self.get_starttag_text()
        if tag == "a" and "href" in attrs:
            raw = '<a href="%s">' % html.escape(self.site.address(self.page, attrs["href"]))
        elif tag == "img":
            raw = self.site.picture(self.page, attrs)
        elif tag == "table":
            self.out.append('<div class="scroll" role="region" aria-label="Table">')
        elif tag == "th":
            raw = raw.replace("<th", '<th scope="col"', 1)
        elif tag == "td":
            self.cell = len(self.out)
        self.out.append(raw)

    def end(self, tag):
        if tag in ("h2", "h3") and self.out:
            self.anchor()
        elif tag == "td":
            size = len(re.sub("<[^>]*>", "", "".join(self.out[self.cell:])))
            kind = next((k for k, least in WIDTHS if size > least), None)
            if kind:
                self.out[self.cell] = self.out[self.cell].replace("<td", '<td class="%s"' % kind, 1)
        self.out.append("</%s>" % tag)
        if tag == "table":
            self.out.append("</div>")

    def anchor(self):
        ident = next((re.search(r'id="([^"]*)"', x) for x in reversed(self.out) if re.match(r"<h[23]\b", x)), None)
        if ident:
            self.out.append(' <a class="anchor" href="#%s" aria-label="Link to this section">#</a>' % ident[1])

    def text(self, data):
        page = self.site.by_base.get(re.sub(r"\((\d)\)$", r".\1", data))
        if page and self.out and self.out[-1] == '<a class="Xr">':  # the manual names another page of it
            self.out[-1] = '<a href="%s">' % page.name
        if not any(t in self.open for t in ("a", "code", "pre", "math", "h1", "h2", "h3")):
            data = CITED.sub(self.cited, data)
        self.out.append(data)

    def cited(self, m):
        if m[5]:
            return self.numbered(self.page, m[5])
        page = self.site.by_base.get(m[1])
        if not page:
            return m[0]
        if not m[3]:
            return '<a href="%s">%s</a>' % (page.name, m[0])
        return self.numbered(page, m[3], m[1] + m[2]) + re.sub(r"\d+(\.\d+)?", lambda n: self.numbered(page, n[0]), m[4])

    def numbered(self, page, number, before=""):
        anchor = page.numbers.get(number)
        if not anchor:
            return before + number
        return '<a href="%s#%s">%s%s</a>' % (page.name if page is not self.page else "", anchor, before, number)


class Site:
    def __init__(self, manual):
        self.pages, self.by_source, self.by_base, self.bad, self.copies = [], {}, {}, [], {}
        order = [(s, g) for g, names in GROUPS.items() for n in names for s in (n, n + ".md", "docs/" + n + ".md")
                 if os.path.isfile(os.path.join(ROOT, s))]
        known = {s for s, _ in order}
        for path in sorted(glob.glob(os.path.join(ROOT, "docs/*.md"))):
            source = os.path.relpath(path, ROOT)
            if source not in known:
                order.append((source, DEFAULT))
        commands = glob.glob(os.path.join(os.path.abspath(manual), "*.1")) if manual else []
        commands.sort(key=lambda m: (not m.endswith("-train.1"), m))  # an option that several commands have is looked for at train
        order += [(os.path.relpath(m, ROOT), "Manual") for m in commands]
        self.groups = {group: [self.add(s) for s, g in order if g == group] for group in GROUPS}
        self.listed = [p for pages in self.groups.values() for p in pages]

    def add(self, source):
        base = os.path.basename(source)
        stem, end = os.path.splitext(base)
        if end == ".md":
            page = Document(source, "index.html" if base == "README.md" else stem.lower() + ".html")
        elif end == ".1":
            page = Manual(source, base + ".html")
        elif os.path.isdir(os.path.join(ROOT, source)):
            page = Folder(source, source.replace("/", ".") + ".html")
        else:
            page = Source(source, source.replace("/", ".") + ".html")
        self.pages.append(page)
        self.by_source[source] = self.by_base[base] = page
        return page

    def complain(self, page, what):
        self.bad.append("%s: %s" % (page.source, what))

    def address(self, page, href):
        """Where a link of a page leads, seen from the site."""
        if re.match(r"[a-z]+:", href):
            return href
        path, _, anchor = href.partition("#")
        target = page
        if path:
            source = os.path.normpath(os.path.join(os.path.dirname(page.source), path))
            if not os.path.exists(os.path.join(ROOT, source)):
                self.complain(page, "no such file: " + path)
                return href
            target = self.by_source.get(source)
            if not target:
                target = self.add(source)
                target.convert()
        if anchor and anchor not in target.anchors:
            self.complain(page, "%s has no section #%s" % (target.source, anchor))
        return (target.name if path else "") + ("#" + anchor if anchor else "")

    def picture(self, page, attrs):
        """A drawing stands in the page itself, so that its ink is that of the text."""
        path, words = os.path.normpath(os.path.join(os.path.dirname(page.source), attrs["src"])), attrs.get("alt", "")
        if not path.endswith(".svg"):
            self.copies[os.path.basename(path)] = path
            return '<img src="%s" alt="%s">' % (os.path.basename(path), html.escape(words))
        drawing = re.sub(r' aria-label="[^"]*"', "", read(path), count=1)
        return drawing.strip().replace("<svg ", '<svg class="figure" aria-label="%s" ' % html.escape(words), 1)

    def sidebar(self, page):
        out = []
        for group, pages in self.groups.items():
            if not pages:
                continue
            rows = "".join('<li><a href="%s"%s>%s</a></li>' % (p.name, ' aria-current="page"' if p is page else "", html.escape(p.label()))
                           for p in pages)
            out.append("<p>%s</p><ul>%s</ul>" % (group, rows))
        return "\n".join(out)

    def contents(self, page):
        rows = [s for s in page.sections if s.level in (2, 3) and s.anchor and not isinstance(page, Source)]
        if len(rows) < 2:
            return ""
        items = "".join('<li class="depth%d"><a href="#%s">%s</a></li>' % (s.level, s.anchor, html.escape(s.short)) for s in rows)
        return '<nav class="contents" aria-label="On this page">\n<details open>\n<summary>On this page</summary>\n<ul>%s</ul>\n</details>\n</nav>\n' % items

    def turn(self, page):
        if page not in self.listed:
            return ""
        i, out = self.listed.index(page), []
        if i:
            out.append('<a rel="prev" href="%s"><span>Previous</span> %s</a>' % (self.listed[i - 1].name, html.escape(self.listed[i - 1].label())))
        if i + 1 < len(self.listed):
            out.append('<a rel="next" href="%s"><span>Next</span> %s</a>' % (self.listed[i + 1].name, html.escape(self.listed[i + 1].label())))
        return '<nav class="turn" aria-label="Previous and next page">%s</nav>' % "".join(out)

    def frame(self, page):
        contents = self.contents(page)
        return FRAME.format(title=html.escape(page.title if page.title == "midpool" else page.title + " - midpool"),
                            kind=type(page).__name__.lower() + (" toc" if contents else ""), sidebar=self.sidebar(page), body=page.body,
                            contents=contents, turn=self.turn(page))

    def index(self):
        rows = []
        for page in self.pages:
            for s in page.sections:
                if isinstance(page, (Source, Folder)) and page not in self.listed:
                    continue
                rows.append([page.name, page.title, s.title if s.level > 1 else "", s.anchor if s.level > 1 else "", squeezed("".join(s.text))])
        return "siteIndex([\n" + ",\n".join(json.dumps(r, ensure_ascii=False) for r in rows) + "\n]);\n"

    def write(self, folder):
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(lambda page: page.convert(), self.pages))
        for page in self.pages:
            page.number_sections()
        for page in self.pages:  # grows while it is walked: a link may ask for a file
            link = Link(page, self)
            link.feed(page.raw)
            page.body = "".join(link.out)
        if self.bad:
            sys.exit("\n".join(self.bad))
        os.makedirs(folder, exist_ok=True)
        files = {p.name: self.frame(p) for p in self.pages}
        files["index.js"] = self.index()
        files["site.css"] = read("src/report/page.css") + read("scripts/site/site.css")
        files["site.js"] = read("scripts/site/site.js")
        for name, text in files.items():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
                f.write(text)
        for name, path in self.copies.items():
            with open(os.path.join(ROOT, path), "rb") as a, open(os.path.join(folder, name), "wb") as b:
                b.write(a.read())
        print("%s: %d pages" % (os.path.join(folder, "index.html"), len(self.pages)))


FRAME = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>{title}</title>
<link rel="stylesheet" href="site.css">
<script src="site.js" defer></script>
</head>
<body class="site {kind}">
<a class="skip" href="#main">To the text</a>
<header class="bar">
<a class="brand" href="index.html">midpool</a>
<div class="find" role="search"></div>
</header>
<nav class="pages" aria-label="Pages">
<details open>
<summary>All pages</summary>
{sidebar}
</details>
</nav>
{contents}<main id="main">
<article>
{body}</article>
{turn}
</main>
</body>
</html>
"""

if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: build.py SITE [MANUAL]")
    Site(sys.argv[2] if len(sys.argv) > 2 else None).write(sys.argv[1])
