#!/usr/bin/env python3
"""Finds wording that the glossary replaces: doc comments that do not begin with the thing that they describe, and phrases that
are not the field's terms. Prints each place and ends with 1 when there is one.

The glossary (Sources/switchboard/Documentation.docc/Glossary.md) names the terms to use in their place.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# A doc comment begins with a noun for a type or a property, and with a verb for a function.
FIRST_WORDS = re.compile(r"(What|Whatever|Who|Whoever|Whose|Whom|Tells)\b")

# The phrase, and what the field says.
PHRASES = {
    r"(is|are|was|were|be|been|being|gets?) told": "is notified, receives, is reported to",
    r"(gives?|given|gave|giving) back": "returns, requeues, releases",
    r"(keeps?|kept|keeping) house": "runs housekeeping",
    r"what bec(omes|ame) of": "the result, the state, statistics of",
    r"(?<!two )(?<!both )ways? in": "authentication method, login",
    r"(takes?|taken|took|taking) back": "revokes, withdraws, rolls back",
    r"(lets?|letting) go": "releases, evicts, deletes",
    r"(say|says|said|saying) so": "logs it, reports it, states it",
    r"(is|are|was|were) had": "is obtained, is fetched",
    r"comes? of": "results from",
    r"kn(ow|ows|ew|own) of": "has, stores, remembers",
    r"(go|goes|went|gone|going) on": "continues",
    r"anew": "again",
}
PATTERN = re.compile(r"\b(?:" + "|".join(f"(?:{phrase})" for phrase in PHRASES) + r")\b", re.IGNORECASE)

SUFFIXES = {".swift", ".md", ".yaml", ".yml", ".sh", ".toml"}
FOLDERS = ["Sources", "Tests", "Deploy", "Config", ".github", ".ci"]
# The glossary lists the words not to use.
EXEMPT = {"Sources/switchboard/Documentation.docc/Glossary.md"}
# The text of a migration is hashed, its SQL comments included.
FROZEN = re.compile(r"Sources/SQLiteStorage/Schema/M\d{4}\w+\.swift")


def texts():
    """The files with sentences of ours, sorted."""
    yield ROOT / "README.md"
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            name = str(path.relative_to(ROOT))
            if path.is_file() and path.suffix in SUFFIXES and name not in EXEMPT and not FROZEN.fullmatch(name):
                yield path


def findings(path):
    """Line numbers with what is wrong there."""
    inside = False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if path.suffix == ".swift":
            text = line.strip()
            is_doc = text.startswith("///")
            # The first line of a doc comment.
            if is_doc and not inside and FIRST_WORDS.match(text[3:].strip()):
                yield number, f"begins with {text[3:].split()[0]}: {text}"
            inside = is_doc
        for match in PATTERN.finditer(line):
            term = next(term for phrase, term in PHRASES.items() if re.fullmatch(phrase, match[0], re.IGNORECASE))
            yield number, f"'{match[0]}' (better: {term}): {line.strip()}"


def main():
    only = sys.argv[1:]
    count = 0
    for path in texts():
        name = str(path.relative_to(ROOT))
        if only and not any(name.startswith(prefix) for prefix in only):
            continue
        for number, finding in findings(path):
            print(f"{name}:{number}: {finding[:200]}")
            count += 1
    if count:
        print(f"{count} places", file=sys.stderr)
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
