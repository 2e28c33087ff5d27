/// Reads the debug data of a GOAWAY, which is untrusted text (RFC 9113 section 6.8).
///
/// APNs sends a JSON object with a member `reason` (ProviderFacts page, A2): then the member's text is used, else all
/// of the data.
enum GoAwayReason {
    /// The length limit, enough for every known reason; the text is written to log lines.
    private static let limit = 128

    /// Returns the reason, truncated, with everything except printable ASCII replaced; `nil` when there is none.
    static func text(_ debugData: [UInt8]) -> String? {
        let bytes = member(in: debugData) ?? debugData[...]
        guard !bytes.isEmpty else { return nil }
        let clean = bytes.prefix(limit).map { $0 >= 0x20 && $0 < 0x7F ? $0 : UInt8(ascii: "?") }
        return String(decoding: clean, as: UTF8.self)
    }

    private static func member(in data: [UInt8]) -> ArraySlice<UInt8>? {
        let name = Array("\"reason\"".utf8)
        guard data.count > name.count,
            let start = (0...(data.count - name.count)).first(where: { data[$0...].starts(with: name) })
        else { return nil }
        let rest = data[(start + name.count)...].drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: ":") }
        guard rest.first == UInt8(ascii: "\"") else { return nil }
        return rest.dropFirst().prefix { $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    }
}
