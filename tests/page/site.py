# site.py - the documents as a site (scripts/site), in a headless browser: every link and anchor leads somewhere, the console stays
# silent, nothing is asked of the network, search finds sections and leads to them, formulas are drawn, light and dark and phones.
# Usage: site.py SOURCE_ROOT MANUAL
# SPDX-License-Identifier: MIT
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.parse

from browser import Browser
from checks import RULES, check, end, equal, read

root, manual = map(os.path.realpath, sys.argv[1:3])

# What is typed, and the section that must be among the first three: page, a word of its title.
SEARCHES = [
    ("flipscore", "math.html", "flipscore"),
    ("--ratio", "midpool-train.1.html", "--ratio"),
    ("PostgreSQL", "formats.html", "PostgreSQL"),
    ("sagpool", "math.html", "SAGPool"),
    ("early stopping", "math.html", "Early stopping"),
    ("mp_data_load", "include.midpool.h.html", "mp_data_load"),
    ("safetensors", "formats.html", "safetensors"),
]

# One page of each kind.
KINDS = ["index.html", "protocol.html", "results.html", "python.html", "midpool-train.1.html", "include.midpool.h.html"]


def build(tree, *words):
    return subprocess.run([sys.executable, os.path.join(tree, "scripts/site/build.py"), *words], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)


# What would show that a formula was taken for text: its dollars or its commands, outside of code.
TEX = r"""(function () { var walk = document.createTreeWalker(document.querySelector('article'), NodeFilter.SHOW_TEXT), out = [];
    while (walk.nextNode()) { var t = walk.currentNode;
        if (!t.parentElement.closest('code,pre') && /[$]|\\[a-zA-Z]+/.test(t.data)) out.push(t.data.trim().slice(0, 80)); }
    return out; })()"""


def leads(b, pages, folder):
    """Opens every page on a phone, one of each kind on a desk in light and dark; follows every link as far as the file and the anchor it names."""
    ids, links, broken, sideways, tex = {}, {}, [], [], []
    b.call("Emulation.setDeviceMetricsOverride", width=360, height=300, deviceScaleFactor=1, mobile=True)
    for name in pages:
        b.open(os.path.join(folder, name))
        ids[name] = set(b.js("Array.from(document.querySelectorAll('[id]')).map(function (e) { return e.id; })"))
        links[name] = b.js("Array.from(document.querySelectorAll('a[href],link[href],script[src],img[src]')).map(function (e) {"
                           " return e.href || e.src; })")
        tex += [name + ": " + words for words in b.js(TEX)]
        broken += [name + " (phone): " + bad for bad in b.js(RULES)["bad"][:3]]
        wide = b.js("document.documentElement.scrollWidth")
        if wide > 360:
            sideways.append((name, wide))
    b.call("Emulation.clearDeviceMetricsOverride")
    for name in KINDS:
        b.open(os.path.join(folder, name))
        for scheme in "light", "dark":
            b.scheme(scheme)
            broken += [name + " (" + scheme + "): " + bad for bad in b.js(RULES)["bad"][:3]]
    b.call("Emulation.setDeviceMetricsOverride", width=760, height=300, deviceScaleFactor=1, mobile=False)
    b.scheme("dark", "print")
    for name in "math.html", "results.html", "include.midpool.h.html":
        b.open(os.path.join(folder, name))
        wide = b.js("document.documentElement.scrollWidth")
        if wide > 760:
            sideways.append((name + " on paper", wide))
        broken += [name + " (paper): " + bad for bad in b.js(RULES)["bad"][:3]]
    equal("paper is light", b.js("getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)")
    b.call("Emulation.clearDeviceMetricsOverride")
    b.scheme("light")
    equal("no formula is left as text", tex[:5], [])
    equal("no rule is broken", broken[:5], [])
    equal("phones and paper need no sideways scrolling", sideways, [])
    lost, followed = [], 0
    for name, targets in links.items():
        for target in targets:
            url = urllib.parse.urlsplit(target)
            if url.scheme != "file":
                continue
            followed += 1
            path, anchor = urllib.parse.unquote(url.path), urllib.parse.unquote(url.fragment)
            page = os.path.basename(path)
            if os.path.dirname(path) != folder or not os.path.exists(path) or (anchor and anchor not in ids.get(page, ())):
                lost.append(name + " -> " + target)
    equal("every link leads somewhere", lost[:5], [])
    check("there were links to follow", followed > 500, followed)
    linked = {os.path.basename(urllib.parse.urlsplit(t).path) for targets in links.values() for t in targets}
    equal("every page is linked", [p for p in pages if p not in linked], [])
    index = [json.loads(line.rstrip(",")) for line in read(os.path.join(folder, "index.js")).splitlines()[1:-1]]
    equal("so are sections of the index", [r[:4] for r in index if r[0] not in ids or (r[3] and r[3] not in ids[r[0]])], [])
    check("which has all documents", {r[0] for r in index} >= {p for p in pages if not p.startswith("examples.")})


def wait(b, code, seconds=20):
    end_ = time.monotonic() + seconds
    while time.monotonic() < end_:
        value = b.js(code)
        if value:
            return value
        time.sleep(0.02)
    return None


def search(b, folder):
    b.open(os.path.join(folder, "tour.html"))
    for words, page, title in SEARCHES:  # each from where the one before led
        b.call("Input.dispatchKeyEvent", type="keyDown", key="/", text="/")
        b.call("Input.dispatchKeyEvent", type="keyUp", key="/")
        equal("/ goes to the search", b.js("document.activeElement.type + document.activeElement.value"), "search")
        b.call("Input.insertText", text=words)
        found = wait(b, """(function () { var a = Array.from(document.querySelectorAll('.hits a'));
            return a.length && a.map(function (e) { return [e.getAttribute('href'), e.querySelector('b').textContent]; }); })()""") or []
        at = next((i for i, (href, t) in enumerate(found[:3]) if href.split("?")[0] == page and title in t), None)
        check("%r finds %s, %s" % (words, page, title or "any section"), at is not None, found[:4])
        equal("words are marked", b.js("document.querySelector('.hits mark').textContent.toLowerCase()"), words.lower().split()[0])
        if at is None:
            continue
        for _ in range(at):
            b.key("ArrowDown", 40)
        b.seen = [m for m in b.seen if m.get("method") != "Page.loadEventFired"]
        b.key("Enter", 13)
        b.wait_for("Page.loadEventFired")
        anchor = found[at][0].partition("#")[2]
        equal("its link opens the page", b.js("location.pathname.split('/').pop() + location.search + location.hash"), found[at][0])
        check("which marks the words", (b.js("CSS.highlights.get('found').size") or 0) > 0)
        if anchor:
            top = b.js("(function (e) { return e ? e.getBoundingClientRect().top : -1; })(document.getElementById(%r))" % anchor)
            check("at the section", 0 <= top < 900, top)
    b.js("document.querySelector('.find input').focus()")
    b.call("Input.insertText", text="nosuchwordanywhere")
    equal("a word that is nowhere is said to be", wait(b, "(document.querySelector('.hits p') || {}).textContent"),
          "Nothing has all of these words.")
    b.key("Escape", 27)
    check("Escape shuts the list", b.js("document.querySelector('.hits').hidden"))


def formulas(b, folder):
    b.open(os.path.join(folder, "math.html"))
    sizes = b.js("""Array.from(document.querySelectorAll('math')).map(function (m) { var r = m.getBoundingClientRect();
        return m.textContent.trim() && r.width > 2 && r.height > 2; })""")
    check("formulas are drawn", len(sizes) > 900 and all(sizes), len(sizes), sizes.count(False))


def code(b, folder):
    b.open(os.path.join(folder, "python.html"))
    b.js("navigator.clipboard.writeText = function (t) { window.copied = t; return Promise.resolve(); }")
    b.js("""Array.from(document.querySelectorAll('pre')).filter(function (p) { return p.textContent.startsWith('>>> import'); })[0]
        .parentElement.querySelector('button').click()""")
    copied = b.js("window.copied") or ""
    check("of a session what was typed is copied", copied.startswith("import ") and ">>>" not in copied, copied[:80])
    equal("and the button says so", wait(b, "(document.querySelector('.code button.done') || {}).textContent"), "Copied")


def pages(folder):
    names = sorted(os.path.basename(p) for p in glob.glob(os.path.join(folder, "*.html")))
    wanted = ["index.html", "contributing.html", "changelog.html", "midpool.1.html", "include.midpool.h.html"]
    wanted += [os.path.basename(p)[:-3] + ".html" for p in glob.glob(os.path.join(root, "docs/*.md"))]
    wanted += [os.path.basename(p) + ".html" for p in glob.glob(os.path.join(manual, "*.1"))]
    equal("every document is a page", [w for w in wanted if w not in names], [])
    return names


def small(folder):
    """A tree of two documents: what is new has its place by itself, and what leads nowhere is refused with its name."""
    tree = os.path.join(folder, "tree")
    for path in "scripts/site/build.py", "scripts/site/site.css", "scripts/site/site.js", "src/report/page.css":
        os.makedirs(os.path.dirname(os.path.join(tree, path)), exist_ok=True)
        shutil.copy(os.path.join(root, path), os.path.join(tree, path))
    os.mkdir(os.path.join(tree, "docs"))

    def with_(text):
        for name, words in ("README.md", "# small\n\n[new](docs/new.md#a-part)\n"), ("docs/new.md", "# New\n\n## A part\n\n" + text):
            with open(os.path.join(tree, name), "w", encoding="utf-8") as f:
                f.write(words + "\n")
        return build(tree, os.path.join(folder, "small"))

    told = with_("Formula $x_i^2$.\n\n```math\n\\frac{a}{b}\n```\n")
    equal("a tree of two documents is a site", told.returncode, 0)
    page = read(os.path.join(folder, "small/new.html"))
    check("an unknown document is listed", '<a href="new.html" aria-current="page">New</a>' in page, page[:200])
    equal("formulas in lines and blocks are MathML", (page.count("<msubsup>"), page.count("<mfrac>")), (1, 1))
    for text, why in (("[gone](gone.md)", "docs/new.md: no such file: gone.md"),
                      ("[part](../README.md#nowhere)", "docs/new.md: README.md has no section #nowhere"),
                      ("$\\nosuch{a}$", "new.md")):
        told = with_(text)
        check("refused: " + text, told.returncode != 0 and why in told.stdout, told.returncode, told.stdout[-300:])


def main():
    folder = os.path.realpath(tempfile.mkdtemp(prefix="midpool_site_"))
    try:
        site = os.path.join(folder, "site")
        told = build(root, site, manual)
        equal("the site is built, and nothing is complained about", (told.returncode, told.stdout.count("\n")), (0, 1))
        if told.returncode:
            print(told.stdout)
            end()
        small(folder)
        names = pages(site)
        b = Browser(folder)
        try:
            leads(b, names, site)
            search(b, site)
            formulas(b, site)
            code(b, site)
            equal("nothing is told to the console, nothing asked of the network", b.errors(), [])
        finally:
            b.close()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    end()


main()
