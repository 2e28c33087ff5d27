#!/usr/bin/env python3
"""Changes one condition of the delivery machine or of a turn's rules at a time and counts how many the simulation notices.

All changes (mutants) are in one build: each condition of the copied sources asks at run time whether it is the one that is
changed, so that they are compiled once. A mutant is killed when a seed finds a broken invariant, traps or hangs.
Those that cannot change what the machine does are listed in mutants.equivalent, each with the reason. Rules that the simulation
never comes by, such as the audit trail's, are left to the storage contract and not counted.

    Deploy/mutate.py [--scratch DIRECTORY] [--jobs 2] [--stages 20,1000,10000] [--only TEXT] [--list]

    Deploy/mutate.py --only TurnRules/                            # faults inside the rules of a turn alone

Exits with 1 when fewer of the mutants of a module that are not equivalent are killed than LEAST_SHARE says. What it builds stays in the scratch
directory: give the same one again and the second run builds only what has changed.
"""

import argparse
import concurrent.futures
import dataclasses
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
# The folders whose conditions are changed, by their modules.
MUTATED = {"Delivery": pathlib.Path("Sources/Delivery/Machine"), "TurnRules": pathlib.Path("Sources/TurnRules")}
EQUIVALENT = ROOT / "Deploy" / "mutants.equivalent"
LEAST_SHARE = {"Delivery": 0.95, "TurnRules": 0.8}
# Only the simulation reads these: a change there breaks what judges, not what is judged.
LEFT_OUT = re.compile(r"\+Inspection\.swift$")

# The folders and files that are copied.
TOPS = ["Sources/TextFormats", "Sources/GatewayModel", "Sources/GatewayStorage",
        "Sources/PushProviders/Seam/PushProviderState.swift", "Sources/PushProviders/Seam/PushQuota.swift",
        "Sources/PushProviders/Seam/PushResult.swift", "Sources/Delivery/Seam",
        "Tests/Proof/DeliverySimulation"]

MANIFEST = """// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]
let collections = Target.Dependency.product(name: "DequeModule", package: "swift-collections")

let package = Package(
    name: "mutants",
    dependencies: [.package(name: "swift-collections", path: "COLLECTIONS")],
    targets: [
        .target(name: "TextFormats", swiftSettings: settings),
        .target(name: "GatewayModel", dependencies: ["TextFormats"], swiftSettings: settings),
        .target(name: "GatewayStorage", dependencies: ["GatewayModel", "TextFormats"], swiftSettings: settings),
        .target(name: "TurnRules", dependencies: ["GatewayModel", "GatewayStorage"], swiftSettings: settings),
        .target(name: "PushProviders", dependencies: ["GatewayModel"], swiftSettings: settings),
        .target(
            name: "Delivery",
            dependencies: ["GatewayModel", "GatewayStorage", "PushProviders", collections],
            swiftSettings: settings
        ),
        .target(
            name: "DeliverySimulation",
            dependencies: ["Delivery", "GatewayModel", "GatewayStorage", "PushProviders", "TurnRules", collections],
            swiftSettings: settings
        ),
        .executableTarget(name: "mutants", dependencies: ["DeliverySimulation"], swiftSettings: settings),
    ]
)
"""

MAIN = r"""import DeliverySimulation
import Glibc

// The seeds from the first argument to the second; ends with 1 at the first whose invariants do not hold.
let arguments = CommandLine.arguments.dropFirst().compactMap { UInt64($0) }
for seed in arguments[0]...arguments[1] {
    guard let violation = Simulation.run(SimulationSeed(rawValue: seed)).violation else { continue }
    print("seed \(seed) breaks \(violation)")
    exit(1)
}
"""

RUNTIME = """import Glibc

/// The number of the mutant that this process runs; 0 is none.
let mutant = getenv("SWITCHBOARD_MUTANT").flatMap { Int(String(cString: $0)) } ?? 0

/// Which mutants were asked for, of a process that runs none and writes them down; it runs one thread.
nonisolated(unsafe) private var reached = [Bool](repeating: false, count: MUTANTS + 1)
private let listensTo: String? = getenv("SWITCHBOARD_REACHED").map { path in
    atexit {
        guard let path = listensTo, let file = fopen(path, "a") else { return }
        for number in reached.indices where reached[number] { fputs("\\(number)\\n", file) }
        fclose(file)
    }
    return String(cString: path)
}
private let listens = listensTo != nil

/// Whether a mutant is the one that is run.
func mutates(_ number: Int) -> Bool {
    if mutant == 0, listens { reached[number] = true }
    return mutant == number
}

func mutantFlip(_ number: Int, _ value: Bool) -> Bool { value != mutates(number) }
func mutantKeep(_ number: Int) -> Bool { !mutates(number) }
func mutantAnd(_ number: Int, _ left: Bool, _ right: @autoclosure () -> Bool) -> Bool {
    mutates(number) ? left || right() : left && right()
}
func mutantOr(_ number: Int, _ left: Bool, _ right: @autoclosure () -> Bool) -> Bool {
    mutates(number) ? left && right() : left || right()
}
func mutantLess<Value: Comparable>(_ number: Int, _ left: Value, _ right: Value) -> Bool {
    mutates(number) ? left <= right : left < right
}
func mutantAtMost<Value: Comparable>(_ number: Int, _ left: Value, _ right: Value) -> Bool {
    mutates(number) ? left < right : left <= right
}
func mutantMore<Value: Comparable>(_ number: Int, _ left: Value, _ right: Value) -> Bool {
    mutates(number) ? left >= right : left > right
}
func mutantAtLeast<Value: Comparable>(_ number: Int, _ left: Value, _ right: Value) -> Bool {
    mutates(number) ? left > right : left >= right
}
func mutantMin<Value: Comparable>(_ number: Int, _ left: Value, _ right: Value) -> Value {
    mutates(number) ? max(left, right) : min(left, right)
}
func mutantMax<Value: Comparable>(_ number: Int, _ left: Value, _ right: Value) -> Value {
    mutates(number) ? min(left, right) : max(left, right)
}
func mutantUnit<Value: ExpressibleByIntegerLiteral>(_ number: Int) -> Value { mutates(number) ? 0 : 1 }
"""

RELATIONS = {"<": ("mutantLess", "<="), "<=": ("mutantAtMost", "<"), ">": ("mutantMore", ">="), ">=": ("mutantAtLeast", ">")}


@dataclasses.dataclass
class Mutant:
    """One change: where it is and what it does."""

    number: int
    module: str
    file: str
    line: int
    change: str
    text: str

    def __str__(self):
        return f"{self.module}/{self.file}:{self.line}: {self.change} in `{self.text}`"


class Source:
    """A file whose conditions are found and rewritten."""

    def __init__(self, path, module, mutants, barred):
        self.name = path.name
        self.module = module
        self.text = path.read_text()
        self.mask = masked(self.text)
        self.mutants = mutants
        self.barred = barred
        self.ranges = {}
        self.keeps = {}
        self.bodies = set()
        self.find()

    # Finding.

    def end(self, start, stops):
        """The first place from `start` where one of `stops` stands outside of brackets."""
        depth = 0
        place = start
        while place < len(self.mask):
            for stop in stops:
                if depth == 0 and self.mask.startswith(stop, place):
                    return place
            depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(self.mask[place], 0)
            if depth < 0:
                return place
            place += 1
        return place

    def add(self, start, end):
        while start < end and self.mask[start].isspace():
            start += 1
        while end > start and self.mask[end - 1].isspace():
            end -= 1
        if start < end and self.balanced(start, end):
            self.ranges[start] = max(end, self.ranges.get(start, 0))

    def balanced(self, start, end):
        piece = self.mask[start:end]
        return all(piece.count(a) == piece.count(b) for a, b in ("()", "[]", "{}"))

    def split(self, start, end, separator):
        """The parts of a range between separators that stand outside of brackets."""
        parts, depth, begin, place = [], 0, start, start
        while place < end:
            if depth == 0 and self.mask.startswith(separator, place):
                parts.append((begin, place))
                place += len(separator)
                begin = place
                continue
            depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(self.mask[place], 0)
            place += 1
        return parts + [(begin, end)]

    def clauses(self, start, end):
        isBinding = True
        for begin, stop in self.split(start, end, ","):
            if re.match(r"\s*(let|var|case)\b", self.mask[begin:stop]):
                continue
            isBinding = False
            self.add(begin, stop)
        if isBinding:
            while self.mask[end - 1].isspace():
                end -= 1
            self.keeps[end] = start

    def closure(self, brace):
        """A closure or a body of one expression that is a condition."""
        end = self.end(brace + 1, ["}"])
        if brace in self.bodies:
            return end
        inner = self.mask[brace + 1 : end]
        head = re.match(r"\s*(\w+ in\b)?\s*", inner)
        body = inner[head.end() :].rstrip()
        isOne = all(re.match(r"\s*(&&|\|\||\?\?|\.|\?|:|[)}\]])", line) for line in body.split("\n")[1:])
        if body and isOne and not re.match(r"(guard|if|let|var|switch|return|defer|for|while|get)\b|_ in", body):
            self.add(brace + 1 + head.end(), end)
        return end

    def find(self):
        mask = self.mask
        for match in re.finditer(r"(?<!#)\b(if|while)\s", mask):
            brace = self.end(match.end(), ["{"])
            self.bodies.add(brace)
            self.clauses(match.end(), brace)
        for match in re.finditer(r"\bguard\s", mask):
            self.clauses(match.end(), self.end(match.end(), [" else ", "\nelse ", "else {"]))
        for match in re.finditer(r"\bfor\b[^{}]*?\swhere\s", mask):
            self.add(match.end(), self.end(match.end(), ["{"]))
        for match in re.finditer(r"\b(filter|contains|allSatisfy|removeAll|removeWaiting|registrationKeys|firstIndex|first)"
                                 r"(\([^(){}]*\))?\s*(\((where: )?)?\{", mask):
            self.closure(match.end() - 1)
        for match in re.finditer(r"(->|:) Bool \{", mask):
            end = self.closure(match.end() - 1)
            for found in re.finditer(r"\breturn ([^\n]+(\n\s*(&&|\|\|)[^\n]+)*)", mask[match.end() : end]):
                start = match.end() + found.start(1)
                self.add(start, min(self.end(start, [" }"]), match.end() + found.end(1)))
        for match in re.finditer(r"\bmap ?\(?\{", mask):
            end = self.end(match.end(), ["}"])
            if re.match(r"\}\)? \?\? (true|false)", mask[end:]):
                self.closure(match.end() - 1)
        for match in re.finditer(r"\b(let|var) (is|has|may|are|needs)\w* = ([^\n]+)", mask):
            if match[3] not in ("true", "false"):
                self.add(match.start(3), match.end(3))
        for match in re.finditer(r"\s\?\s", mask):
            self.ternary(match.start())

    def ternary(self, end):
        """Finds where the condition before a `?` begins."""
        depth, place = 0, end
        while place > 0:
            char = self.mask[place - 1]
            if char in ")]}":
                depth += 1
            elif char in "([{":
                if depth == 0:
                    break
                depth -= 1
            elif depth == 0 and (char == "," or re.search(r"(\sreturn\s|\s=\s|[^:]:\s|\?\?\s|\sin\s)$", self.mask[:place])):
                break
            place -= 1
        self.add(place, end)

    # Rewriting.

    def mutant(self, place, change):
        """The number of a new mutant; nil for one that did not compile."""
        line = self.text.count("\n", 0, place) + 1
        if (self.name, line, change) in self.barred:
            return None
        text = self.text.split("\n")[line - 1].strip()
        self.mutants.append(Mutant(len(self.mutants) + 1, self.module, self.name, line, change, text))
        return len(self.mutants)

    def rewritten(self):
        return self.region(0, len(self.text), None)

    def region(self, start, end, outer):
        """The text of a range with its conditions rewritten, but for the condition `outer` that the range is itself."""
        out, place = [], start
        while place < end:
            stop = self.ranges.get(place)
            if stop is not None and stop <= end and (place, stop) != outer:
                out.append(self.condition(place, stop))
                place = stop
            elif place in self.keeps and self.keeps[place] >= start:
                out.append(self.kept(place))
                out.append(self.text[place])
                place += 1
            else:
                piece, place = self.token(place)
                out.append(piece)
        return "".join(out)

    def kept(self, place):
        begin = self.keeps[place]
        while self.mask[begin].isspace():
            begin += 1
        number = self.mutant(begin, "never binds")
        return "" if number is None else f", mutantKeep({number})"

    def token(self, place):
        rest = self.mask[place : place + 8]
        before = self.mask[place - 1] if place else " "
        match = re.match(r"(min|max)\(", rest)
        if match and not re.match(r"[\w.]", before) and not self.mask[max(place - 5, 0) : place].endswith("func "):
            other = "max" if match[1] == "min" else "min"
            if len(self.split(place + 4, self.end(place + 4, [")"]), ",")) == 2:
                number = self.mutant(place, f"{match[1]} to {other}")
                if number is not None:
                    return f"mutant{match[1].capitalize()}({number}, ", place + 4
        match = re.match(r"(\+=|-=|\+|-) 1(?![\w.])", rest)
        if match and before == " ":
            number = self.mutant(place, f"{match[1]} 1 left out")
            if number is not None:
                return f"{match[1]} mutantUnit({number})", place + match.end()
        return self.text[place], place + 1

    def condition(self, start, end):
        for sign, name, other in (("||", "mutantOr", "&&"), ("&&", "mutantAnd", "||")):
            parts = self.split(start, end, sign)
            # A ternary binds less than either.
            if len(parts) > 1 and not re.search(r"\s\?\s", self.mask[start:end]):
                out = self.part(*parts[0])
                for begin, stop in parts[1:]:
                    number = self.mutant(begin - 2, f"{sign} to {other}")
                    right = self.part(begin, stop)
                    out = f"{out} {sign} {right}" if number is None else f"{name}({number}, {out}, {right})"
                return out
        number = self.mutant(start, f"not ({' '.join(self.text[start:end].split())})")
        inner = self.relation(start, end)
        return inner if number is None else f"mutantFlip({number}, {inner})"

    def part(self, start, end):
        while self.mask[start].isspace():
            start += 1
        while self.mask[end - 1].isspace():
            end -= 1
        return self.condition(start, end)

    def relation(self, start, end):
        if self.mask[start] == "(" and self.end(start + 1, [")"]) == end - 1:
            return f"({self.part(start + 1, end - 1)})"
        if not re.search(r"\s\?\s", self.mask[start:end]):
            for sign, (name, other) in RELATIONS.items():
                parts = self.split(start, end, f" {sign} ")
                if len(parts) == 2:
                    left, right = (self.region(begin, stop, (start, end)) for begin, stop in parts)
                    number = self.mutant(parts[0][1], f"{sign} to {other}")
                    return f"{left} {sign} {right}" if number is None else f"{name}({number}, {left}, {right})"
        return self.region(start, end, (start, end))


def masked(text):
    """The text with comments and the insides of strings blanked."""
    pattern = re.compile(r'//[^\n]*|/\*.*?\*/|"""(?:.|\n)*?"""|"(?:\\.|[^"\\\n])*"', re.S)
    return pattern.sub(lambda match: re.sub(r"[^\n]", " ", match[0]) if match[0][0] == "/" else
                       re.sub(r"[^\n\"]", "s", match[0]), text)


def copy_sources(scratch):
    """Makes a package of the machine, its simulation and what these need, so that nothing of the network is built."""
    collections = ROOT / ".build" / "checkouts" / "swift-collections"
    if not collections.exists():
        sys.exit("fetch the packages first: swift package resolve")
    write(scratch / "Package.swift", MANIFEST.replace("COLLECTIONS", str(collections.resolve())).encode())
    write(scratch / "Sources" / "mutants" / "main.swift", MAIN.encode())
    wanted = set()
    for top in TOPS:
        path = ROOT / top
        for file in [path] if path.is_file() else sorted(path.rglob("*.swift")):
            relative = file.relative_to(ROOT)
            content = file.read_bytes()
            # Only the shell's side of the seam knows providers.
            if is_mutated(relative) or b"any PushProvider" in content:
                continue
            place = scratch / "Sources" / relative.relative_to("Tests/Proof" if top.startswith("Tests/Proof") else "Sources")
            wanted.add(place)
            write(place, content)
    for path in list((scratch / "Sources").rglob("*.swift")):
        if path not in wanted and not is_mutated(path.relative_to(scratch)) and path.name != "main.swift":
            path.unlink()


def is_mutated(path):
    return any(path.is_relative_to(folder) for folder in MUTATED.values())


def write(path, content):
    if path.exists() and path.read_bytes() == content:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def write_mutants(scratch, barred):
    """Writes the mutated folders with all mutants; returns these."""
    mutants, texts = [], {}
    for module, folder in MUTATED.items():
        for path in sorted((ROOT / folder).rglob("*.swift")):
            isLeftOut = LEFT_OUT.search(path.name)
            texts[path.relative_to(ROOT)] = (
                path.read_text() if isLeftOut else Source(path, module, mutants, barred).rewritten())
    for folder in MUTATED.values():
        texts[folder / "Mutation.swift"] = RUNTIME.replace("MUTANTS", str(len(mutants)))
        for path in (scratch / folder).rglob("*.swift"):
            if path.relative_to(scratch) not in texts:
                path.unlink()
    for path, text in texts.items():
        write(scratch / path, text.encode())
    return mutants


def build(scratch):
    """Builds the simulation with all mutants, leaving out those that do not compile; returns the mutants."""
    barred = set()
    for _ in range(12):
        mutants = write_mutants(scratch, barred)
        print(f"{len(mutants)} mutants; building", flush=True)
        done = subprocess.run(
            ["swift", "build", "-c", "release", "--product", "mutants"], cwd=scratch, capture_output=True, text=True)
        if done.returncode == 0:
            return mutants
        output = done.stdout + done.stderr
        errors = set(re.findall(r"/(\w[\w+]*\.swift):(\d+):\d+: error:", output))
        before = len(barred)
        for name, line in errors:
            barred |= {(m.file, m.line, m.change) for m in mutants if m.file == name and m.line == int(line)}
        if len(barred) == before:
            sys.exit(output[-4000:])
        print(f"left out because they do not compile: {sorted(barred)}", flush=True)
    sys.exit("the mutants do not compile")


def program(scratch, first, last):
    return [scratch / ".build" / "release" / "mutants", str(first), str(last)]


def run(scratch, number, first, last, limit):
    """How a mutant ends: None when no seed notices it, otherwise what it broke; `limit` is in seconds of the processor."""
    environment = dict(os.environ, SWITCHBOARD_MUTANT=str(number), SWIFT_BACKTRACE="enable=no")
    done = subprocess.run(
        program(scratch, first, last), env=environment, capture_output=True, text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5)))
    if done.returncode == 0:
        return None
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return "hangs"
    found = re.search(r"breaks (\w+):", done.stdout)
    return found[1] if found else "traps"


def reached(scratch, seeds):
    """The numbers of the mutants whose place a run of the seeds comes by, and the seconds of the processor that it took."""
    path = scratch / "reached.txt"
    path.unlink(missing_ok=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    environment = dict(os.environ, SWITCHBOARD_REACHED=str(path))
    done = subprocess.run(program(scratch, 1, seeds), env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"without a mutant an invariant is broken:\n{done.stdout}{done.stderr[-2000:]}")
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    return {int(line) for line in path.read_text().split()}, seconds


def equivalents():
    """What was shown to be equivalent: file, change and text of the line, each with its reason."""
    known = {}
    if EQUIVALENT.exists():
        for line in EQUIVALENT.read_text().splitlines():
            if line.strip() and not line.startswith("#"):
                file, change, text, reason = (part.strip() for part in line.split(" | ", 3))
                known[(file, change, text)] = reason
    return known


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--scratch", type=pathlib.Path, help="where to build; a new directory unless told")
    parser.add_argument("--jobs", type=int, default=2, help="mutants at a time")
    parser.add_argument("--stages", default="20,1000,10000", help="seeds of each stage, which has the survivors of the last")
    parser.add_argument("--only", help="only mutants whose file or line has this text")
    parser.add_argument("--minutes", type=float, help="no new stage of a mutant begins after this time")
    parser.add_argument("--list", action="store_true", help="print the mutants and do nothing")
    options = parser.parse_args()
    scratch = (options.scratch or pathlib.Path(tempfile.mkdtemp(prefix="mutants-"))).resolve()
    if ROOT == scratch or ROOT in scratch.parents:
        sys.exit("the scratch directory must not be in the repository")
    started = time.monotonic()
    copy_sources(scratch)
    if options.list:
        for mutant in write_mutants(scratch, set()):
            print(mutant)
        return
    mutants = build(scratch)
    known = equivalents()
    places, seconds = reached(scratch, 1000)
    print(f"{1000 / seconds:.0f} seeds a second; {len(mutants) - len(places)} mutants are never reached in 1000", flush=True)
    asked = [m for m in mutants if not options.only or options.only in f"{m}"]
    asked = [m for m in asked if m.module != "TurnRules" or m.number in places]
    alive = [m for m in asked if (m.file, m.change, m.text) not in known]
    equivalent = len(asked) - len(alive)
    killed, stage_of = {}, {}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        done = 0
        for stage in options.stages.split(","):
            seeds = int(stage)
            limit = 5 + int(5 * (seeds - done) * seconds / 1000)

            def judge(mutant):
                if options.minutes and time.monotonic() - started > options.minutes * 60:
                    return mutant, None, False
                return mutant, run(scratch, mutant.number, done + 1, seeds, limit), True

            left = []
            for mutant, result, ran in pool.map(judge, alive):
                if ran:
                    stage_of[mutant.number] = seeds
                if result is None:
                    left.append(mutant)
                else:
                    killed[mutant.number] = result
            alive, done = left, seeds
            print(f"[{time.monotonic() - started:.0f} s] {seeds} seeds: {len(killed)} killed, {len(alive)} survive", flush=True)
    report(asked, equivalent, killed, alive, stage_of, places)
    isEnough = True
    for module, least in LEAST_SHARE.items():
        own = [m.number in killed for m in asked if m.module == module and (m.number in killed or m in alive)]
        if own:
            print(f"{module}: {sum(own)} of {len(own)} killed, {sum(own) / len(own):.1%}; asked {least:.0%}")
            isEnough = isEnough and sum(own) >= least * len(own)
    sys.exit(0 if isEnough else 1)


def report(asked, equivalent, killed, alive, stage_of, places):
    print("\nkilled by")
    ways = list(killed.values())
    for way in sorted(set(ways), key=lambda way: (-ways.count(way), way)):
        print(f"  {way:<24}{ways.count(way):>5}")
    print("\nsurvivors")
    for mutant in alive:
        note = "" if mutant.number in places else " (rarely or never reached)"
        print(f"  {mutant} after {stage_of.get(mutant.number, 0)} seeds{note}")
    share = len(killed) / max(len(killed) + len(alive), 1)
    print(f"\n{'file':<36}{'mutants':>8}{'killed':>8}")
    for name in sorted({m.file for m in asked}):
        own = [m for m in asked if m.file == name]
        print(f"{name:<36}{len(own):>8}{sum(m.number in killed for m in own):>8}")
    print(f"\nmutants {len(asked)}, equivalent {equivalent}, killed {len(killed)}, survivors {len(alive)}: {share:.1%}")


if __name__ == "__main__":
    main()
