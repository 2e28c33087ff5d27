#!/usr/bin/env bash
# Embeds the API description in the program: writes the Swift file with the text of Sources/GatewayHTTP/openapi.yaml.
# --check changes nothing; it ends with 1 if the Swift file is not up to date.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=Deploy/packages.sh
. Deploy/packages.sh

description=Sources/GatewayHTTP/openapi.yaml
embedded=Sources/GatewayHTTP/Core/OpenAPI/OpenAPIDocument+Text.swift

# A raw string literal: nothing in it is an escape or an interpolation.
swift_text() {
    printf '%s\n' '// Written by Deploy/openapi.sh from openapi.yaml: change that file, and run the script.' \
        '// swift-format-ignore-file' '' 'extension OpenAPIDocument {' \
        '    /// The whole document as YAML.' '    static let text = ##"""'
    cat "$description"
    # The line break before the delimiter does not belong to the literal.
    printf '%s\n' '' '"""##' '}'
}

case "${1:-}" in
    "") swift_text >"$embedded" ;;
    --check) swift_text | cmp --silent - "$embedded" || fail "$embedded is not up to date: run Deploy/openapi.sh" ;;
    *) fail "usage: Deploy/openapi.sh [--check]" ;;
esac
