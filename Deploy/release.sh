#!/usr/bin/env bash
# Builds the programs in release mode, with the Swift runtime linked into them: all, or those that are named.
# Needs the Swift toolchain; installs the packages that are missing (with sudo when it is not run by root).
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=Deploy/packages.sh
. Deploy/packages.sh

require_swift
require_packages "${build_packages[@]}"
say "building (the first time takes some minutes)"
build_release "$@"
