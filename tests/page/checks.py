# checks.py - what tests in a browser have in common: a line for each thing that was checked, and the rules of accessible pages.
# SPDX-License-Identifier: MIT
import os
import sys

failed = 0


def check(what, holds, *more):
    global failed
    print("ok  " if holds else "FAIL", what, *(() if holds else more))
    failed += not holds


def equal(what, is_, wanted):
    check(what, is_ == wanted, "is", repr(is_)[:300], "not", repr(wanted)[:300])


def end():
    sys.exit(failed != 0)


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


RULES = read(os.path.join(os.path.dirname(os.path.abspath(__file__)), "rules.js")).split("\n", 2)[2]
