#!/usr/bin/env python3
"""Writes the bill of materials of the programs as CycloneDX JSON: the Swift packages whose code is in them.

    sbom.py --version 0.1.0 --swift 6.3.1 --architecture amd64 PROGRAM... [--debian NAME VERSION]...

Package.resolved names every package that a build may use; those count whose symbols are in one of the programs, which still have them. With --debian it
also names files of Debian packages that are shipped beside the programs. The time is that of SOURCE_DATE_EPOCH.
"""
import argparse
import datetime
import json
import os
import pathlib
import subprocess
import sys
import uuid

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def known_packages():
    """The table of packages: the licence, the modules, and what else is inside, by the package's identity."""
    packages = {}
    for line in (HERE / "packages.tsv").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            name, licence, modules, inner = line.split("\t")
            packages[name] = (licence, modules.split(), [each.split("=") for each in inner.split()])
    return packages


def licensed(name):
    return {"licenses": [{"license": {"id": name}}]}


def swift_components(programs):
    """One component for each Swift package whose symbols are in the programs."""
    symbols = "".join(
        subprocess.run(["nm", "--defined-only", program], check=True, capture_output=True, text=True).stdout
        for program in programs
    )
    resolved = ROOT / "Package.resolved"
    if not resolved.exists():
        sys.exit("sbom: Package.resolved is missing: a build writes it")
    packages = known_packages()
    components = []
    for pin in json.loads(resolved.read_text(encoding="utf-8"))["pins"]:
        identity = pin["identity"]
        if identity not in packages:
            sys.exit(f"sbom: Deploy/package/packages.tsv has no line for {identity}")
        licence, modules, inner = packages[identity]
        if not any(f"$s{len(module)}{module}" in symbols for module in modules):
            continue
        place = pin["location"].removesuffix(".git")
        path = place.removeprefix("https://")
        version = pin["state"]["version"]
        purl = f"pkg:swift/{path}@{version}"
        component = {
            "type": "library", "bom-ref": purl, "name": identity, "version": version, "purl": purl, **licensed(licence),
            "externalReferences": [{"type": "vcs", "url": place, "comment": f"revision {pin['state']['revision']}"}],
        }
        if inner:
            component["components"] = [
                {"type": "library", "bom-ref": f"{purl}#{name}", "name": name, **licensed(licence)} for name, licence in inner
            ]
        components.append(component)
    # Every program of the project uses it: without it the symbols were removed from the programs, and the list would be wrong.
    if not any(component["name"] == "swift-nio" for component in components):
        sys.exit("sbom: the programs have no symbols that name their packages")
    return components


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--version", required=True)
    parser.add_argument("--swift", required=True)
    parser.add_argument("--architecture", required=True)
    parser.add_argument("--debian", nargs=2, action="append", default=[], metavar=("NAME", "VERSION"))
    parser.add_argument("programs", nargs="+")
    options = parser.parse_args()

    runtime = f"pkg:swift/github.com/swiftlang/swift@{options.swift}"
    components = swift_components(options.programs) + [
        # The standard library and Foundation, with ICU, are linked into the programs.
        {
            "type": "library", "bom-ref": runtime, "name": "swift", "version": options.swift, "purl": runtime,
            **licensed("Apache-2.0"),
            "components": [{"type": "library", "bom-ref": runtime + "#icu", "name": "ICU", **licensed("Unicode-3.0")}],
        }
    ]
    for name, version in options.debian:
        purl = f"pkg:deb/debian/{name}@{version.replace('+', '%2B').replace(':', '%3A')}?arch={options.architecture}"
        components.append({"type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl})

    product = f"pkg:generic/switchboard@{options.version}?arch={options.architecture}"
    moment = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
    content = json.dumps(components, sort_keys=True)
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, product + content)}",
        "version": 1,
        "metadata": {
            "timestamp": moment.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": {
                "type": "application", "bom-ref": product, "name": "switchboard", "version": options.version, "purl": product,
            },
        },
        "components": components,
        "dependencies": [{"ref": product, "dependsOn": sorted(component["bom-ref"] for component in components)}],
    }
    json.dump(document, sys.stdout, indent=2, sort_keys=True)
    print()


if __name__ == "__main__":
    main()
