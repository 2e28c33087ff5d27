#!/usr/bin/env python3
"""Finds comparisons of Strings where texts come from outside: they must be compared and hashed as bytes.

Swift compares, orders and hashes a String by Unicode normalisation, which takes time quadratic in the number of combining
marks in a row. The rooms below read what callers and others send; there `BoundedName`, `hasSameBytes` and their like are used
(Sources/TextFormats). What is compared as String all the same stands in the list of exceptions beside this script, with its
reason: one line for each line of code, `path | code | reason`.

Two searches: the compiler's index of the last build tells every use of String's operators and searches, whatever the type is
written as; the text tells what the index cannot: raw values from texts, and sets and dictionaries of Strings.
Exits with 1 when there is a comparison that is not in the list, or a line in the list that is not in the code.
"""

import ctypes
import pathlib
import re
import shutil
import subprocess
import sys

ROOMS = ["GatewayHTTP", "Identity", "IdentityProviders", "GuardedHTTP", "Messaging", "PushPayloads", "TextFormats"]
# Mangled names: String's ==, <, and those of StringProtocol; hasPrefix, hasSuffix, contains, case mapping.
USES = re.compile(
    r"^s:(SS[12](ee|lo|le|gt|ge)oi|SysE2(ee|ne|lo|le|gt|ge)oi|SS9has(Pre|Suf)fix|SysE9has(Pre|Suf)fix|S[Ss]10(lower|upper)cased"
    r"|Sy17_StringProcessingE|Sl17_StringProcessingE|SS5count|SS5index|Ss5index)"
)
TEXT = re.compile(r"rawValue: *[a-z]|\bSet<(String|Substring)>|\[(String|Substring): ?[A-Z\[(]|case \"[^\"]*\"[,:]")
NO_TEXT = re.compile(r"^\s*(///|//)|enum .*CodingKey")

root = pathlib.Path(__file__).resolve().parent.parent
store = root / ".build" / "debug" / "index" / "store"


class Text(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("length", ctypes.c_size_t)]

    def __str__(self):
        return ctypes.string_at(self.data, self.length).decode() if self.data else ""


def uses():
    """Every use in the index, as (path, line)."""
    swift = pathlib.Path(shutil.which("swift")).resolve().parent.parent
    library = next((swift / folder / "libIndexStore.so" for folder in ["lib", "lib64"]
                    if (swift / folder / "libIndexStore.so").exists()), None)
    if library is None or not store.exists():
        sys.exit("foreign-text: there is no index: build with `swift build --build-tests` first")
    index = ctypes.CDLL(str(library))
    pointer = ctypes.c_void_p
    for name, result, arguments in [
        ("indexstore_store_create", pointer, [ctypes.c_char_p, ctypes.POINTER(pointer)]),
        ("indexstore_store_units_apply_f", ctypes.c_bool, [pointer, ctypes.c_uint, pointer, pointer]),
        ("indexstore_unit_reader_create", pointer, [pointer, ctypes.c_char_p, ctypes.POINTER(pointer)]),
        ("indexstore_unit_reader_get_module_name", Text, [pointer]),
        ("indexstore_unit_reader_dispose", None, [pointer]),
        ("indexstore_unit_reader_dependencies_apply_f", ctypes.c_bool, [pointer, pointer, pointer]),
        ("indexstore_unit_dependency_get_kind", ctypes.c_int, [pointer]),
        ("indexstore_unit_dependency_get_name", Text, [pointer]),
        ("indexstore_unit_dependency_get_filepath", Text, [pointer]),
        ("indexstore_record_reader_create", pointer, [pointer, ctypes.c_char_p, ctypes.POINTER(pointer)]),
        ("indexstore_record_reader_dispose", None, [pointer]),
        ("indexstore_record_reader_occurrences_apply_f", ctypes.c_bool, [pointer, pointer, pointer]),
        ("indexstore_occurrence_get_symbol", pointer, [pointer]),
        ("indexstore_occurrence_get_line_col", None,
         [pointer, ctypes.POINTER(ctypes.c_uint), ctypes.POINTER(ctypes.c_uint)]),
        ("indexstore_symbol_get_usr", Text, [pointer]),
    ]:
        function = getattr(index, name)
        function.restype, function.argtypes = result, arguments
    error = pointer()
    opened = index.indexstore_store_create(str(store).encode(), ctypes.byref(error))
    units = []
    take_unit = ctypes.CFUNCTYPE(ctypes.c_bool, pointer, Text)(lambda _, name: bool(units.append(str(name))) or True)
    index.indexstore_store_units_apply_f(opened, 0, None, ctypes.cast(take_unit, pointer))
    records = {}

    def take_dependency(_, dependency):
        if index.indexstore_unit_dependency_get_kind(dependency) == 2:
            name = str(index.indexstore_unit_dependency_get_name(dependency))
            records[str(index.indexstore_unit_dependency_get_filepath(dependency))] = name
        return True

    take = ctypes.CFUNCTYPE(ctypes.c_bool, pointer, pointer)(take_dependency)
    for unit in units:
        reader = index.indexstore_unit_reader_create(opened, unit.encode(), ctypes.byref(error))
        if not reader:
            continue
        if str(index.indexstore_unit_reader_get_module_name(reader)) in ROOMS:
            index.indexstore_unit_reader_dependencies_apply_f(reader, None, ctypes.cast(take, pointer))
        index.indexstore_unit_reader_dispose(reader)
    found = set()
    for path, record in records.items():
        path = pathlib.Path(path)
        if root not in path.parents or not path.exists():
            continue
        reader = index.indexstore_record_reader_create(opened, record.encode(), ctypes.byref(error))
        if not reader:
            continue

        def take_occurrence(_, occurrence):
            symbol = index.indexstore_occurrence_get_symbol(occurrence)
            if USES.match(str(index.indexstore_symbol_get_usr(symbol))):
                line, column = ctypes.c_uint(), ctypes.c_uint()
                index.indexstore_occurrence_get_line_col(occurrence, ctypes.byref(line), ctypes.byref(column))
                found.add((str(path.relative_to(root)), line.value))
            return True

        visit = ctypes.CFUNCTYPE(ctypes.c_bool, pointer, pointer)(take_occurrence)
        index.indexstore_record_reader_occurrences_apply_f(reader, None, ctypes.cast(visit, pointer))
        index.indexstore_record_reader_dispose(reader)
    if not found:
        sys.exit("foreign-text: the index tells nothing: is it of this build?")
    return found


lines = {}
for room in ROOMS:
    for file in sorted((root / "Sources" / room).rglob("*.swift")):
        path = str(file.relative_to(root))
        lines[path] = file.read_text().split("\n")
found = {place for place in uses() if place[0] in lines and place[1] <= len(lines[place[0]])}
for path, text in lines.items():
    found |= {(path, number) for number, line in enumerate(text, 1) if TEXT.search(line) and not NO_TEXT.search(line)}


def is_case_of_bytes(path, number):
    """Whether a line is a case of a switch over names that are compared as bytes."""
    line = lines[path][number - 1]
    indent = len(line) - len(line.lstrip())
    if not line.lstrip().startswith("case "):
        return False
    for other in reversed(lines[path][:number - 1]):
        if "switch " in other and len(other) - len(other.lstrip()) <= indent:
            return "BoundedName" in other or "MediaTypeName" in other or "unicodeScalars" in other
    return False


found = {place for place in found if not is_case_of_bytes(*place)}
code = {(path, lines[path][number - 1].strip()) for path, number in found}
listed = {}
for line in (root / "Deploy" / "foreign-text.allowed").read_text().split("\n"):
    if line and not line.startswith("#"):
        path, text, reason = line.split(" | ")
        listed[(path, text)] = reason
wrong = sorted(code - set(listed))
gone = sorted(set(listed) - code)
for path, text in wrong:
    print(f"{path}: compared as String: {text}")
for path, text in gone:
    print(f"Deploy/foreign-text.allowed: not in the code any more: {path} | {text}")
print(f"comparisons of Strings: {len(code)}, all but {len(wrong)} with a reason")
sys.exit(1 if wrong or gone else 0)
