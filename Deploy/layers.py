#!/usr/bin/env python3
"""Checks that the dependencies of the product's targets point down the table of modules on the Architecture page.

Every target in Sources is in that table or in the one beside it, and depends only on targets further down; none depends on what
stands beside the product, and only the composition depends on the storage engine, which it opens. Prints each arrow that points up and ends with 1 when there is one; --graph prints all arrows.
"""
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "Sources" / "switchboard" / "Documentation.docc" / "Architecture.md"


def tables():
    """The targets of the two tables of the section "Modules": a list of rows each, top first."""
    section = PAGE.read_text(encoding="utf-8").split("\n## Modules\n")[1].split("\n## ")[0]
    product, beside = section.split("\nBeside the product:")
    return tuple(
        [re.findall(r"`([^`]+)`", line.split("|")[1]) for line in text.splitlines() if re.match(r"\| *`", line)]
        for text in (product, beside)
    )


def main():
    manifest = json.loads(subprocess.run(["swift", "package", "dump-package"], cwd=ROOT, check=True, capture_output=True).stdout)
    targets = {target["name"]: target for target in manifest["targets"] if target["type"] != "test"}
    product, beside = tables()
    level = {name: number for number, names in enumerate(product) for name in names}
    others = {name for names in beside for name in names}
    wrong = [f"{name} is on the page, and is no target" for name in [*level, *others] if name not in targets]
    for name, target in targets.items():
        if (target.get("path") or "").startswith("Tests/Fuzz"):
            continue
        if name not in level and name not in others:
            wrong.append(f"{name} is not in the tables of {PAGE.relative_to(ROOT)}")
            continue
        named = [next(iter(each.values()))[0] for each in target["dependencies"] if "product" not in each]
        if "--graph" in sys.argv:
            print(f"{name}: {', '.join(named)}")
        for other in named:
            if name in others:
                continue
            if other not in level or level[other] <= level[name]:
                wrong.append(f"{name} -> {other} points up")
            if other == "SQLiteStorage" and name != "Gateway":
                wrong.append(f"{name} -> {other}: a room asks for the roles of the store that it calls, not for the engine")
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
