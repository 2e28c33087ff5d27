#!/usr/bin/env python3
"""Keeps the public interface of the device library in Tests/Interface: a sorted line for each public declaration.

Reads the modules of the last build, and writes the files. --check changes nothing: it prints the lines that differ, and ends with 1
if there are some. --build FOLDER names the folder of the build; the default is .build. A removed or changed line breaks apps.

What only Apple's platforms have is not in it.
"""
import argparse
import difflib
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "Tests" / "Interface"
MODULES = ["SwitchboardClient", "SwitchboardClientLinux"]
# The compiler adds these to what a type declares, and each version of it adds others.
IMPLIED = {"Swift.Copyable", "Swift.Escapable", "Swift.SendableMetatype"}


def symbol_graph(module, build):
    """The symbols and relationships of a module, as the compiler writes them."""
    target = json.loads(subprocess.run(["swiftc", "-print-target-info"], check=True, capture_output=True).stdout)
    modules = build / "debug" / "Modules"
    if not (modules / f"{module}.swiftmodule").exists():
        sys.exit(f"interface: {modules} has no module {module}: build first")
    # The C modules that the libraries and SwiftNIO import: those with a map of their own, and those whose map SwiftPM writes.
    maps = [ROOT / "Sources" / "COpenSSL" / "module.modulemap", *build.glob("checkouts/*/Sources/*/include/module.modulemap")]
    maps += build.glob("debug/*.build/module.modulemap")
    with tempfile.TemporaryDirectory() as folder:
        command = ["swift", "symbolgraph-extract", "-module-name", module, "-I", str(modules), "-output-dir", folder]
        command += ["-target", target["target"]["triple"], "-minimum-access-level", "public", "-skip-synthesized-members"]
        for path in maps:
            command += ["-Xcc", f"-fmodule-map-file={path}"]
        subprocess.run(command, check=True)
        return json.loads((pathlib.Path(folder) / f"{module}.symbols.json").read_text(encoding="utf-8"))


def interface(module, build):
    """The sorted lines of a module: each declaration with its path, each conformance with its type."""
    graph = symbol_graph(module, build)
    names = {symbol["identifier"]["precise"]: ".".join(symbol["pathComponents"]) for symbol in graph["symbols"]}
    lines = {
        names[symbol["identifier"]["precise"]] + ": " + "".join(part["spelling"] for part in symbol["declarationFragments"])
        for symbol in graph["symbols"]
    }
    for relationship in graph["relationships"]:
        other = names.get(relationship["target"], relationship.get("targetFallback", ""))
        if relationship["kind"] == "conformsTo" and relationship["source"] in names and other not in IMPLIED:
            lines.add(f"{names[relationship['source']]}: conforms to {other}")
    return "".join(line.replace("\n", " ") + "\n" for line in sorted(lines))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / ".build", help="the folder of the build")
    arguments = parser.parse_args()
    changed = False
    for module in MODULES:
        path = FOLDER / f"{module}.txt"
        before = path.read_text(encoding="utf-8") if path.exists() else ""
        after = interface(module, arguments.build.resolve())
        if before == after:
            continue
        changed = True
        if arguments.check:
            name = str(path.relative_to(ROOT))
            before, after = before.splitlines(), after.splitlines()
            print("\n".join(difflib.unified_diff(before, after, name, "the sources", n=0, lineterm="")))
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_text(after, encoding="utf-8")
    if arguments.check and changed:
        print("The interface of the device library has changed. If that is intended, run Deploy/interface.py.", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
