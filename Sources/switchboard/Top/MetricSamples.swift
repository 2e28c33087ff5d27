/// The samples of one reading of a gateway's `/metrics`, in the Prometheus text format 0.0.4
/// (https://prometheus.io/docs/instrumenting/exposition_formats/).
struct MetricSamples {
    /// A series and its value.
    private struct Sample {
        var labels: [Substring: String]
        var value: Double
    }

    private var samples: [Substring: [Sample]] = [:]

    /// Reads the text; lines of another form are left out.
    init(_ text: String) {
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            guard let (name, sample) = Self.sample(line) else { continue }
            samples[name, default: []].append(sample)
        }
    }

    /// Returns the sum of the series of a metric that have these labels; 0 when there are none.
    func sum(_ name: String, _ labels: [String: String] = [:]) -> Double {
        matching(name, labels).reduce(0) { $0 + $1.value }
    }

    /// Returns the sums of a metric's series by the value of a label.
    func sums(_ name: String, by label: String, _ labels: [String: String] = [:]) -> [String: Double] {
        matching(name, labels).reduce(into: [:]) { $0[$1.labels[label[...]] ?? "", default: 0] += $1.value }
    }

    /// Returns the upper bounds of a histogram's buckets with their cumulative counts, in ascending order.
    func buckets(_ name: String, _ labels: [String: String] = [:]) -> [(bound: Double, count: Double)] {
        sums(name + "_bucket", by: "le", labels)
            .compactMap { bound, count in Double(bound).map { ($0, count) } }
            .sorted { $0.0 < $1.0 }
    }

    private func matching(_ name: String, _ labels: [String: String]) -> [Sample] {
        (samples[name[...]] ?? []).filter { sample in labels.allSatisfy { sample.labels[$0[...]] == $1 } }
    }

    /// Reads `name{label="value",...} number`.
    private static func sample(_ line: Substring) -> (Substring, Sample)? {
        let name = line.prefix { $0 != "{" && $0 != " " }
        var rest = line[name.endIndex...]
        var labels: [Substring: String] = [:]
        if rest.first == "{" {
            rest.removeFirst()
            while rest.first != "}" {
                let label = rest.prefix { $0 != "=" }
                rest = rest[label.endIndex...]
                guard rest.hasPrefix("=\""), let value = quoted(&rest) else { return nil }
                labels[label] = value
                if rest.first == "," { rest.removeFirst() }
            }
            rest.removeFirst()
        }
        guard rest.first == " ", let value = Double(rest.dropFirst()), !value.isNaN else { return nil }
        return (name, Sample(labels: labels, value: value))
    }

    /// Removes `="value"` and returns the value; nil when its end is missing.
    private static func quoted(_ rest: inout Substring) -> String? {
        rest.removeFirst(2)
        var value = ""
        while let character = rest.popFirst() {
            switch character {
            case "\"": return value
            case "\\":
                guard let escaped = rest.popFirst() else { return nil }
                value.append(escaped == "n" ? "\n" : escaped)
            default: value.append(character)
            }
        }
        return nil
    }
}
