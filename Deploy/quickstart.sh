#!/usr/bin/env bash
# Builds switchboard and its demonstration, which shows the whole path of an agent message on this host, with simulated APNs and FCM.
# With --once it exits after the demonstration; otherwise it stays up and prints what to try next.
# Needs the Swift toolchain; installs the packages that are missing (with sudo when it is not run by root).
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=Deploy/packages.sh
. Deploy/packages.sh

for argument in "$@"; do
    case "$argument" in
        --once) ;;
        *) fail "usage: Deploy/quickstart.sh [--once]" ;;
    esac
done

require_swift
require_packages "${build_packages[@]}"
say "building (the first time takes some minutes)"
for program in switchboard switchboard-demo; do swift build --product "$program"; done
exec "$(swift build --show-bin-path)/switchboard-demo" "$@"
