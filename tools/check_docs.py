#!/usr/bin/env python3
"""Fails, naming file and line, when the documents and the code have drifted apart:

  link      a relative link, or a repository path in backticks, leads nowhere
  name      a code name in backticks (TwoHumps, call(), file_name.cc) occurs nowhere in the code
  tag       an equation tag stands in src but not in docs/math, or the reverse
  quote     code between "howto-begin" and "howto-end" in a test stands in no page of docs/howto
  excerpt   a block ```cpp PATH in docs/howto does not stand in that file
  orphan    a file under docs cannot be reached by links from README.md or docs/architecture.md
  word      a text file holds a path of somebody's machine or the host of a package registry

Run from anywhere: python3 tools/check_docs.py
"""
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CODE = ("src", "apps", "tests", "bench", "tools", "cmake", "viewer")
MADE = ("build/", ".venv/", ".deps/", "viewer/dist/")  # made on the user's machine, not in the repository
SKIPPED = {".git", "build", ".venv", ".deps", "__pycache__", "node_modules", "dist", "test-output"}

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)|^\[[^\]]+\]:\s*(\S+)")
CODE_SPAN = re.compile(r"`([^`\n]+)`")
PATH = re.compile(r"^\.?\w[\w.-]*(/[\w.-]+)+/?$")
HUMPS = re.compile(r"^[A-Z][a-z0-9]+([A-Z][A-Za-z0-9]*)+$")
CALL = re.compile(r"^([A-Za-z_]\w*)\(.*\)$")
FILE = re.compile(r"^[a-z0-9_]+\.(h|cc)$")
TAG = re.compile(r"\(([A-Z]+-\d+)\)")
FORBIDDEN = re.compile(r"(?<![\w.:/}-])/(?:work|root|home|Users)/"
                       r"|pypi\.org|pythonhosted\.org|crates\.io|npmjs\.org")


def files(*tops):
    """Text files under the given folders, build products left out."""
    for top in tops:
        for folder, subfolders, names in os.walk(ROOT / top):
            subfolders[:] = sorted(set(subfolders) - SKIPPED)
            yield from (pathlib.Path(folder, name) for name in sorted(set(names) - SKIPPED))


def lines(file):
    """Numbered lines of a text file; none for a binary one."""
    data = file.read_bytes()
    return [] if b"\0" in data else enumerate(data.decode("utf-8", "replace").splitlines(), 1)


def prose(file):
    """Numbered lines outside fenced blocks."""
    fenced = False
    for number, line in lines(file):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced:
            yield number, line


def links(file):
    """(line number, target) of every relative link."""
    for number, line in prose(file):
        for target in (a or b for a, b in LINK.findall(line)):
            if not re.match(r"[a-z]+:|#", target):
                yield number, (file.parent / target.split("#")[0]).resolve()


def span_fault(span, tops, words, names):
    """What is wrong with an inline code span, or None."""
    if PATH.match(span):
        if span.startswith(MADE) or span.split("/")[0] not in tops | {"cornet"}:
            return None
        place = ROOT / "src" / span if span.startswith("cornet/") else ROOT / span
        return None if place.exists() else f"no such path: {span}"
    if FILE.match(span):
        return None if span in names else f"no such file in the code: {span}"
    call = CALL.match(span)
    parts = [part.split("(")[0] for part in span.split("::")] if "::" in span else [span]
    wanted = [call.group(1)] if call else [p for p in parts if HUMPS.match(p) or "::" in span]
    missing = [part for part in wanted if part not in words and part != "std"]
    return f"not in the code: {', '.join(missing)}" if missing else None


def check_pages(pages):
    """Links and code names of all pages."""
    code = list(files(*CODE))
    names = {file.name for file in code}
    words = {word for file in code for _, line in lines(file) for word in re.findall(r"\w+", line)}
    words |= {file.stem for file in code}
    tops = {entry.name for entry in ROOT.iterdir() if entry.is_dir()}
    for page in pages:
        for number, target in links(page):
            if not target.exists():
                yield page, number, f"link: leads nowhere: {os.path.relpath(target, ROOT)}"
        for number, line in prose(page):
            for span in CODE_SPAN.findall(line):
                if reason := span_fault(span, tops, words, names):
                    yield page, number, f"name: {reason}"


def check_quotes():
    pages = "\n".join(file.read_text(encoding="utf-8") for file in files("docs/howto"))
    for file in files("tests"):
        begin, part = 0, []
        for number, line in lines(file):
            if "// howto-begin" in line:
                begin, part = number, []
            elif "// howto-end" in line and "\n".join(part) not in pages:
                yield file, begin, "quote: this code stands in no page of docs/howto"
            else:
                part.append(line)


def check_excerpts():
    for page in files("docs/howto"):
        begin, source, part = 0, None, []
        for number, line in lines(page):
            if line.startswith("```"):
                if source and "\n".join(part) not in source.read_text(encoding="utf-8"):
                    yield page, begin, f"excerpt: does not stand in {source.relative_to(ROOT)}"
                path = line.partition(" ")[2]
                begin, source, part = number, ROOT / path if path else None, []
                if source and not source.is_file():
                    yield page, number, f"excerpt: no such file: {path}"
                    source = None
            else:
                part.append(line)


def check_orphans(pages):
    reached, front = set(), [ROOT / "README.md", ROOT / "docs/architecture.md"]
    while front:
        page = front.pop()
        if page not in reached:
            reached.add(page)
            front += [target for _, target in links(page)] if page in pages else []
    for file in files("docs"):
        if file not in reached:
            yield file, 1, "orphan: no link leads here"


def check_tags():
    places = {"src": {}, "docs/math": {}}
    for top, found in places.items():
        for file in files(top):
            for number, line in lines(file):
                for tag in TAG.findall(line):
                    found.setdefault(tag, (file, number))
    for here, there in (("src", "docs/math"), ("docs/math", "src")):
        for tag in sorted(places[here].keys() - places[there].keys()):
            yield *places[here][tag], f"tag: ({tag}) does not stand in {there}"


def check_words():
    for file in files("."):
        for number, line in lines(file):
            if match := FORBIDDEN.search(line):
                yield file, number, f"word: forbidden: {match.group(0)}"


def main():
    pages = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
    pages += [file for file in files("docs", "scenes") if file.suffix == ".md"]
    faults = [*check_pages(pages), *check_quotes(), *check_excerpts(), *check_orphans(pages),
              *check_tags(), *check_words()]
    for file, number, what in faults:
        print(f"{file.relative_to(ROOT)}:{number}: {what}")
    if not faults:
        print(f"docs: {len(pages)} pages agree with the code")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
