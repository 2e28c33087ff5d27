# shellcheck shell=bash
# Sourced by the other scripts: finds Swift, installs Debian or Ubuntu packages, and defines how a release is built.

say() { printf '\n==> %s\n' "$*"; }

fail() {
    printf '%s\n' "$*" >&2
    exit 1
}

# Packages that the build needs on every host: headers of the system libraries, and what SwiftPM calls.
# shellcheck disable=SC2034 # read by the scripts that source this one
build_packages=(
    libcurl4-openssl-dev libnghttp2-dev libssl-dev libsimdjson-dev libsqlite3-dev libjemalloc-dev zlib1g-dev g++
    pkg-config git ca-certificates
)

require_swift() {
    if ! command -v swift >/dev/null 2>&1; then
        fail "swift was not found. Install Swift 6.2 or later from https://www.swift.org/install/linux/ (swiftly, or a
package for your distribution), put its usr/bin into PATH, and run this script again."
    fi
    local version
    version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9]*\.[0-9]*\).*/\1/p' | head -n 1)
    case "$version" in
        "" | [0-5].* | 6.0 | 6.1) fail "Swift 6.2 or later is needed; $(command -v swift) is ${version:-of an unknown version}." ;;
    esac
}

# Installs those of the named packages that are missing.
require_packages() {
    if ! command -v dpkg-query >/dev/null 2>&1 || ! command -v apt-get >/dev/null 2>&1; then
        say "this system has no apt: make sure that these are installed: $*"
        return 0
    fi
    local missing=() package
    for package in "$@"; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] && return 0
    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null 2>&1 || fail "as root, run: apt-get install --no-install-recommends ${missing[*]}"
        as_root=(sudo)
    fi
    say "installing ${missing[*]}"
    "${as_root[@]}" apt-get update -q
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"
}

# Builds the named programs, or all, in release mode and with the Swift runtime linked into them. One at a time: the package also
# has targets for tests, whose imports cannot be linked statically.
build_release() {
    [ $# -gt 0 ] || set -- switchboard switchboard-demo push-simulator switchboard-proof switchboard-bench
    local program
    # The runtime's list of arguments exports every symbol: 6 MB of names, and code that nothing calls.
    for program in "$@"; do
        swift build -c release --static-swift-stdlib -Xlinker --version-script="$PWD/Deploy/package/exports.map" --product "$program"
    done
}
