/// The Prometheus text exposition format, version 0.0.4, and OpenMetrics 1.0
/// (https://prometheus.io/docs/instrumenting/exposition_formats/, https://prometheus.io/docs/specs/om/open_metrics_spec/).
enum PrometheusText {
    /// Appends one sample's line; `labels` are the pairs as written between the braces, or empty.
    static func appendSample(_ name: String, _ labels: String, _ value: String, to text: inout String) {
        text += name
        if !labels.isEmpty {
            text += "{"
            text += labels
            text += "}"
        }
        text += " "
        text += value
        text += "\n"
    }

    /// Appends the `# HELP` and `# TYPE` lines before a metric's samples.
    static func appendHeader(
        name: String,
        typeName: String,
        help: String,
        isOpenMetrics: Bool,
        to text: inout String
    ) {
        var (name, typeName) = (name, typeName)
        // OpenMetrics names a counter without the suffix that its samples must have.
        if isOpenMetrics, typeName == "counter" {
            if name.hasSuffix("_total") { name.removeLast(6) } else { typeName = "unknown" }
        }
        text += "# HELP \(name) \(escaped(help, quotes: isOpenMetrics))\n# TYPE \(name) \(typeName)\n"
    }

    /// Returns label pairs as written between the braces, `a="1",b="2"`, sorted by name so that one set has one text.
    static func labels(_ dimensions: [(String, String)]) -> String {
        if dimensions.isEmpty { return "" }
        return dimensions.sorted { $0.0 < $1.0 }
            .map { "\(safeName($0.0, colons: false))=\"\(escaped($0.1, quotes: true))\"" }
            .joined(separator: ",")
    }

    /// Returns a name with `_` for bytes that the format does not allow: `[a-zA-Z_:][a-zA-Z0-9_:]*`, label names
    /// without colons.
    static func safeName(_ name: String, colons: Bool) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(name.utf8.count)
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"):
                bytes.append(byte)
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                if bytes.isEmpty { bytes.append(UInt8(ascii: "_")) }
                bytes.append(byte)
            case UInt8(ascii: ":") where colons: bytes.append(byte)
            default: bytes.append(UInt8(ascii: "_"))
            }
        }
        return bytes.isEmpty ? "_" : String(decoding: bytes, as: UTF8.self)
    }

    /// Returns a number as the format writes it: whole numbers without a fraction, `+Inf`, `-Inf` or `NaN`.
    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        if value == value.rounded(), abs(value) < 1e15 { return String(Int64(value)) }
        return value.description
    }

    private static func escaped(_ text: String, quotes: Bool) -> String {
        guard text.utf8.contains(where: { $0 == 0x5C || $0 == 0x0A || $0 == 0x22 }) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\"" where quotes: result += "\\\""
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
