#!/usr/bin/env bash
# Fuzzes the parsers of untrusted bytes with libFuzzer: Deploy/fuzz.sh [SECONDS] [TARGET]
#
#   SECONDS  how long each target runs; 60 when it is missing
#   TARGET   event-reader, strict-json or key-files; all of them, one after the other, when it is missing
#
# Starts from the inputs in Tests/Fuzz/Corpora, which the ordinary tests replay. New inputs are kept in
# .build-fuzz/found; an input that fails is written to .build-fuzz/failed and ends the run with a status other than 0.
# Deploy/fuzz.sh --merge adds inputs to Tests/Fuzz/Corpora that reach new code.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=Deploy/packages.sh
. Deploy/packages.sh

case "${1:-}" in
    -h | --help)
        sed -n '2,/^set/{/^set/!s/^# \{0,1\}//p}' "$0"
        exit 0
        ;;
esac

require_swift
require_packages "${build_packages[@]}"

merges=false
if [ "${1:-}" = "--merge" ]; then
    merges=true
    shift
fi
seconds=60
if ! $merges && [ $# -gt 0 ]; then
    seconds=$1
    shift
    case "$seconds" in "" | *[!0-9]*) fail "seconds are a whole number; Deploy/fuzz.sh --help says more" ;; esac
fi
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(event-reader strict-json key-files)
for target in "${targets[@]}"; do
    [ -d "Tests/Fuzz/Corpora/$target" ] || fail "no target $target; Deploy/fuzz.sh --help names them"
done

say "build with libFuzzer and the address sanitizer"
SWITCHBOARD_FUZZ=1 swift build -c release --scratch-path .build-fuzz --product switchboard-fuzz 2>&1 | grep -v 'Cannot export local symbol'
program=$PWD/.build-fuzz/release/switchboard-fuzz

# The fuzzer reports a crash, with the input.
export SWIFT_BACKTRACE=enable=no
# A leak also ends a run.
export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1

for target in "${targets[@]}"; do
    export SWITCHBOARD_FUZZ_TARGET=$target
    corpus=Tests/Fuzz/Corpora/$target
    found=.build-fuzz/found/$target
    failed=.build-fuzz/failed/$target/
    mkdir -p "$found" "$failed"
    # Longer than any input of its kind is allowed to be, and the longest time that one may take.
    case "$target" in
        strict-json) options=(-max_len=1048576 -timeout=2) ;;
        event-reader) options=(-max_len=65536 -timeout=2) ;;
        key-files) options=(-max_len=16384 -timeout=5) ;;
    esac
    [ ! -f "$corpus.dict" ] || options+=("-dict=$corpus.dict")
    if $merges; then
        say "$target: what reaches more goes to $corpus"
        "$program" "${options[@]}" -merge=1 "$corpus" "$found" 2>&1 | tail -n 3
        continue
    fi
    say "$target: $seconds s"
    "$program" "${options[@]}" -max_total_time="$seconds" -artifact_prefix="$failed" -print_final_stats=1 \
        -rss_limit_mb=4096 "$found" "$corpus"
done
say "nothing failed"
