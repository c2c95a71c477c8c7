#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""treewalk.py ROOT EXPECTED DIFFERENCES: a whole tree against what tools expect.

EXPECTED describes the tree, one entry a line, "PATH TYPE MODE [CONTENT]"; see there.
DIFFERENCES lists where this tree is another on purpose, "KIND PATH [MODE CONTENT]" and
behind "--" the reason. Every entry of the tree must have its line, every line its entry,
and every difference must be one: each that is not is printed, and the status is 1.
"""

import os
import re
import stat
import sys

TYPES = {"d": stat.S_ISDIR, "f": stat.S_ISREG, "l": stat.S_ISLNK}
WORDS = {
    "NUM": r"[0-9]+",
    "BOOL": r"[01]",
    "HEX": r"0x[0-9a-f]+",
    "MASK": r"[0-9a-f]+(,[0-9a-f]{8})*",
    "YESNO": r"(Yes|No)",
    "GID": r"([0-9a-f]{4}:){7}[0-9a-f]{4}",
}


class Rule:
    def __init__(self, where, path, kind, mode, content):
        self.where, self.path, self.kind, self.mode = where, path, kind, mode
        self.content = content
        self.used = 0
        self.parts = [glob(p) for p in split(path)]

    def fits(self, parts):
        return len(parts) == len(self.parts) and all(
            r.fullmatch(p) for r, p in zip(self.parts, parts))

    def weight(self):
        """Of two lines for an entry the one with fewer wildcards counts."""
        return sum(c in "*<" for c in self.path)


def split(path):
    return [p for p in path.split("/") if p]


def glob(text):
    """* is anything, <WORD> one of WORDS, <a|b> one of these."""
    out = ""
    for piece in re.split(r"(\*|<[^>]*>)", text):
        if piece == "*":
            out += "[^/]+"
        elif piece.startswith("<"):
            out += WORDS.get(piece[1:-1], "(%s)" % piece[1:-1])
        else:
            out += re.escape(piece)
    return re.compile(out)


def pattern(content):
    """The regular expression of a file's whole content."""
    tail = r"\n"
    m = re.match(r"(K|k)?(E)?:", content)
    if m:
        content = content[m.end():]
        tail += r"\[key\]\n" if m.group(1) == "K" else r"(\[key\]\n)?" if m.group(1) else ""
        tail += r"\n" if m.group(2) else ""
    if content.startswith("raw:"):
        content, tail = content[4:], ""
    for word, expression in WORDS.items():
        content = re.sub(r"\b%s\b" % word, lambda m, e=expression: e, content)
    return re.compile(content + tail, re.S)


def lines(name):
    with open(name, encoding="ascii") as f:
        for nr, line in enumerate(f, 1):
            line = line.rstrip("\n")
            if line.strip() and not line.startswith("#"):
                yield "%s:%d" % (os.path.basename(name), nr), line


def read_expected(name):
    """A block "[NAME]" is inserted by "use NAME DIRECTORY"; "[]" begins the tree."""
    blocks, block, rules = {"": []}, "", []
    for where, line in lines(name):
        if line.startswith("["):
            block = line.strip("[]")
            blocks[block] = []
        else:
            blocks[block].append((where, line.split(None, 3)))

    def expand(block, prefix):
        for where, words in blocks[block]:
            if words[0] == "use":
                expand(words[1], prefix + (words[2] if len(words) > 2 else ""))
            else:
                path, kind, mode = words[:3]
                rules.append(Rule(where, prefix + path, kind, mode,
                                  words[3] if len(words) > 3 else None))

    expand("", "")
    return rules


def read_differences(name):
    out = {"absent": [], "extra": [], "other": []}
    for where, line in lines(name):
        spec, _, reason = line.partition(" -- ")
        words = spec.split(None, 4)
        if not reason or words[0] not in out:
            sys.exit("%s: not understood: %s" % (where, line))
        if words[0] == "absent":
            words += ["-", "-"]
        out[words[0]].append(Rule(where, words[1], words[2], words[3],
                                  words[4] if len(words) > 4 else None))
    return out


def walk(root):
    yield "", root
    for here, dirs, files in os.walk(root):
        for name in sorted(dirs + files):
            full = os.path.join(here, name)
            yield os.path.relpath(full, root), full


def best(rules, parts):
    fitting = [r for r in rules if r.fits(parts)]
    for r in fitting:
        r.used += 1
    return min(fitting, key=Rule.weight) if fitting else None


def check(rule, path, full):
    """What is wrong with an entry, or None."""
    st = os.lstat(full)
    if not TYPES[rule.kind](st.st_mode):
        return "is no '%s'" % rule.kind
    if rule.kind == "l":
        text = os.readlink(full)
        return None if re.fullmatch(rule.content, text) else "points to %s" % text
    if "%o" % stat.S_IMODE(st.st_mode) != rule.mode:
        return "has mode %o, not %s" % (stat.S_IMODE(st.st_mode), rule.mode)
    if (st.st_uid, st.st_gid) != (0, 0):
        return "is not root's"
    if rule.kind == "d" or not st.st_mode & stat.S_IRUSR:
        return None
    with open(full, "rb") as f:
        text = f.read().decode("latin-1")
    if rule.content is None or pattern(rule.content).fullmatch(text):
        return None
    return "reads %r, not %s" % (text, rule.content)


def main():
    root, expected, differences = sys.argv[1:]
    rules = read_expected(expected)
    diff = read_differences(differences)
    bad = entries = 0

    def say(*what):
        nonlocal bad
        bad += 1
        print(*what)

    for path, full in walk(root):
        parts = split(path)
        entries += 1
        rule = best(rules, parts)
        other = best(diff["other"], parts)
        extra = best(diff["extra"], parts)
        absent = best(diff["absent"], parts)
        try:
            wrong = check(other or rule or extra, path, full) if rule or extra else None
        except OSError as e:
            wrong = "cannot be read: %s" % e
        if not rule and not extra:
            say("not expected: /%s" % path)
        elif rule and extra:
            say("%s: is expected: /%s" % (extra.where, path))
        elif wrong:
            say("%s: /%s %s" % ((other or rule or extra).where, path, wrong))
        elif other and rule and not check(rule, path, full):
            say("%s: no difference: /%s" % (other.where, path))
        if absent:
            say("%s: is there: /%s" % (absent.where, path))
    for rule in rules:
        if rule.used:
            continue
        gone = best(diff["absent"], split(rule.path))
        if not gone:
            say("%s: not there: /%s" % (rule.where, rule.path))
    for kind, some in diff.items():
        for rule in some:
            if not rule.used:
                say("%s: no such difference: %s /%s" % (rule.where, kind, rule.path))
    print("%d entries, %d lines, %d differences on purpose, %d others" %
          (entries, len(rules), sum(map(len, diff.values())), bad))
    sys.exit(1 if bad else 0)


main()
