#!/usr/bin/env bash
# All checks: format, wording, build, all tests, the demonstration.
# With SWITCHBOARD_WARNINGS_AS_ERRORS set, as .ci/run sets it, a warning of the compiler is an error.
# Needs the Swift toolchain; installs the packages that are missing (with sudo when it is not run by root).
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=Deploy/packages.sh
. Deploy/packages.sh

# Programs that the tests call: other implementations of HTTP/2, TLS, JSON and metrics, proxies, and a
# browser.
test_packages=(nghttp2-client nghttp2-server nginx-light haproxy python3 python3-venv strace prometheus openssl curl python3-yaml chromium chromium-driver)
# From PyPI: other implementations of JOSE, HTTP/2, WebSocket and OTLP, and what reads and tries the API description.
python_packages=(cryptography==48.0.0 joserfc==1.8.0 websockets==17.4 'httpx[http2]==0.28.1' openapi-spec-validator==0.9.0 schemathesis==4.32.5 opentelemetry-proto==1.45.2)
command -v node >/dev/null 2>&1 || test_packages+=(nodejs)
# For the clients in Java and TypeScript.
command -v javac >/dev/null 2>&1 || test_packages+=(default-jdk-headless)
command -v tsc >/dev/null 2>&1 || test_packages+=(node-typescript)

started=$SECONDS
step() { say "[$((SECONDS - started)) s] $*"; }

# Names the tests of a run that began and did not end.
unfinished() {
    python3 - "$1" >&2 <<'END'
import re, sys
running = {}
for line in open(sys.argv[1], errors="replace"):
    line = re.sub("\x1b\\[[0-9;]*m", "", line)
    if begun := re.match(r"◇ Test (?!case |run )(.*) started\.", line):
        running[begun[1]] = True
    elif ended := re.match(r"[✔✘] Test (?!case |run )(.*?)(?: with \d+ test cases?)? (?:passed|failed) after", line):
        running.pop(ended[1], None)
for name in list(running)[:50]:
    print("not ended:", name)
END
}

require_swift
require_packages "${build_packages[@]}" "${test_packages[@]}"

if ! python3 -c 'import cryptography, joserfc, httpx, h2, websockets.asyncio.client, openapi_spec_validator, schemathesis, opentelemetry.proto.trace.v1.trace_pb2' 2>/dev/null; then
    step "Python packages"
    [ -x .build/python/bin/pip ] || python3 -m venv .build/python
    .build/python/bin/pip install --quiet --disable-pip-version-check "${python_packages[@]}"
    export PATH="$PWD/.build/python/bin:$PATH"
fi

step "format"
swift format lint --strict --recursive --parallel Sources Tests Deploy/examples

step "wording, and dependencies of targets"
python3 Deploy/language.py
python3 Deploy/layers.py

step "API description"
python3 -m openapi_spec_validator Sources/GatewayHTTP/openapi.yaml

step "build"
swift build --build-tests

step "texts from outside are compared as bytes"
python3 Deploy/foreign-text.py

step "device library: interface, and the parts for Apple's platforms"
python3 Deploy/interface.py --check
Deploy/ios-typecheck.sh

# Few tests at a time: several hundred would wait for each other beyond their timeouts.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=4
tests=$(swift build --show-bin-path)/switchboardPackageTests.xctest
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# Each target in a separate process: tests that start programs and tests that block the few threads of the concurrency
# runtime do not disturb each other, and the name of a target that hangs is visible.
for target in Tests/*Tests; do
    target=$(basename "$target")
    step "tests: $target"
    set +e
    # Line by line: what a process that is killed has in its buffer is lost.
    # Without `swift test`, which reads all packages again for each target.
    NO_COLOR=1 timeout 1800 stdbuf -oL "$tests" --testing-library swift-testing --filter "^$target\\." 2>&1 | tee "$log" | grep --line-buffered -E '^(✘|✔ Test run|◇ Test run)|error:|[Cc]rash'
    status=${PIPESTATUS[0]}
    set -e
    [ "$status" -ne 124 ] || { unfinished "$log"; fail "$target did not end within half an hour"; }
    [ "$status" -eq 0 ] || { cat "$log"; fail "$target failed"; }
    # A suite that was skipped is an error: it would go unnoticed otherwise.
    # Names of tests may have the word.
    if grep -E '^(➜|⊘|↷)|(Test|Suite) ("[^"]*"|[^" ]+) skipped' "$log" >&2; then fail "$target: a test was skipped"; fi
    grep -qE 'Test run with [1-9][0-9]* tests? .*passed' "$log" || fail "$target: no test was run"
done

step "API description against the server, in short"
SWITCHBOARD=$(swift build --show-bin-path)/switchboard Deploy/schemathesis.sh --max-examples 3 --seed 11 >"$log" 2>&1 || { cat "$log"; fail "the server does not do what its description says"; }
grep -E 'generated|passed' "$log" || true

step "device library in an empty package"
Deploy/library-test.sh

step "clients for back-ends"
SWITCHBOARD=$(swift build --show-bin-path)/switchboard Deploy/clients/test.sh >"$log" 2>&1 || { cat "$log"; fail "a client for back-ends does not work"; }

step "demonstration"
Deploy/quickstart.sh --once

step "all good"
