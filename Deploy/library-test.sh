#!/usr/bin/env bash
# Uses the device library from an empty package, as an app does: which packages it fetches, what it builds, and in what time.
# Fails if a package or a module of the gateway is among them. Takes about a minute, most of it the build.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=Deploy/packages.sh
. Deploy/packages.sh

repository=$PWD
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# The order of sorted names.
export LC_ALL=C
# The consumer is another package: what .ci/run sets is for ours.
unset SWITCHBOARD_WARNINGS_AS_ERRORS

# Writes the package with the traits and the product of the arguments.
write_package() {
    cat >"$folder/Package.swift" <<SWIFT
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "app",
    platforms: [.iOS(.v16), .macOS(.v13)],
    dependencies: [.package(name: "switchboard", path: "$repository", traits: [$1])],
    targets: [.executableTarget(name: "app", dependencies: [.product(name: "$2", package: "switchboard")])]
)
SWIFT
}

# Resolves, and fails if other packages than those of the argument are fetched.
expect_packages() {
    local fetched
    rm -f "$folder/Package.resolved"
    swift package --package-path "$folder" resolve
    fetched=$(sed -n 's/.*"identity" : "\(.*\)".*/\1/p' "$folder/Package.resolved" | sort | paste -s -d ' ')
    [ "$fetched" = "$1" ] || fail "fetched: $fetched; expected: $1"
    say "fetched: $fetched"
}

mkdir -p "$folder/Sources/app"
cat >"$folder/Sources/app/main.swift" <<'SWIFT'
import Foundation
import SwitchboardClient

guard let server = URL(string: "https://push.example.com") else { fatalError("not a URL") }
let configuration = ClientConfiguration(serverURL: server, brandID: "acme", appID: "ios")
let client = SwitchboardClient(configuration: configuration, storage: MemoryStorage())
let data = ["brandId": "acme", "messageId": "m1", "text": "Hello", "badge": "3"]
let message = await client.handlePush(PushPayload(data: data), showNotification: false)
print(message?.text ?? "no push", message?.badge ?? -1)
SWIFT

write_package '"LinuxWindow"' SwitchboardClientLinux
expect_packages 'swift-atomics swift-collections swift-log swift-nio swift-system'

write_package '' SwitchboardClient
expect_packages swift-log

started=$SECONDS
swift build --package-path "$folder"
say "built in $((SECONDS - started)) s"
bin=$(swift build --package-path "$folder" --show-bin-path)
modules=$(cd "$bin/Modules" && printf '%s\n' *.swiftmodule | sort | paste -s -d ' ')
[ "$modules" = "Logging.swiftmodule SwitchboardClient.swiftmodule app.swiftmodule" ] || fail "built: $modules"
output=$("$bin/app")
[ "$output" = "Hello 3" ] || fail "the program printed: $output"
