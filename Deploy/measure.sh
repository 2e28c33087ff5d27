#!/usr/bin/env bash
# Builds in release mode, then prints the provider faults that the sender survives, with counts, and its cost compared with
# h2load.
# --all prints the proofs (crashes, simulation) and every scenario of the benchmark as well: about an hour and a half more.
# Needs the Swift toolchain; installs the packages that are missing (with sudo when it is not run by root).
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=Deploy/packages.sh
. Deploy/packages.sh

scenarios=(--scenario sender --scenario sender-distance --scenario sender-latency --scenario bulkhead)
all=false
for argument in "$@"; do
    case "$argument" in
        --all)
            all=true
            scenarios=()
            ;;
        *) fail "usage: Deploy/measure.sh [--all]" ;;
    esac
done

require_swift
require_packages "${build_packages[@]}" nghttp2-client
say "building (the first time takes some minutes)"
build_release
binaries=$(swift build -c release --show-bin-path)
if $all; then
    say "the gateway is killed under load"
    "$binaries/switchboard-proof" crash
    say "a million simulated schedules"
    "$binaries/switchboard-proof" simulate --seeds 1000000
fi
say "providers that go wrong"
"$binaries/switchboard-proof" faults
say "what it costs"
"$binaries/switchboard-bench" "${scenarios[@]}"
