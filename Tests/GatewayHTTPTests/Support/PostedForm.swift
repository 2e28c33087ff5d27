import HTTPTypes
import Testing

@testable import GatewayHTTP

/// The formats in which an event can be posted.
enum PostedForm: CaseIterable, Sendable, CustomTestStringConvertible {
    case single, array, lines, cloudEvent, cloudEventBatch, binary

    /// Members with their values as JSON texts, in order.
    typealias Members = [(name: String, value: String)]

    static let attributes: Set<String> = ["id", "type", "source", "time", "specversion"]

    var testDescription: String { "\(self)" }

    var contentType: String {
        switch self {
        case .single, .array, .binary: "application/json"
        case .lines: "application/x-ndjson"
        case .cloudEvent: "application/cloudevents+json"
        case .cloudEventBatch: "application/cloudevents-batch+json"
        }
    }

    /// Whether the response is 202 even when an event is invalid.
    var isBatch: Bool { self == .array || self == .lines || self == .cloudEventBatch }

    /// Whether text that is not JSON rejects the whole request.
    var isOneText: Bool { self != .lines }

    var isCloud: Bool { self == .cloudEvent || self == .cloudEventBatch || self == .binary }

    /// Returns the position of a member of a plain event in this format.
    func pointer(_ plain: String) -> String {
        let isAttribute = Self.attributes.contains(String(plain.dropFirst()))
        switch self {
        case .single, .array, .lines: return plain
        case .cloudEvent, .cloudEventBatch: return isAttribute ? plain : "/data" + plain
        case .binary: return isAttribute ? "/ce-" + plain.dropFirst() : plain
        }
    }

    /// Returns the text that contains an event, without the text around it in a batch.
    func text(_ members: Members) -> String {
        func object(_ members: Members) -> String {
            "{" + members.map { "\"\($0.name)\":\($0.value)" }.joined(separator: ",") + "}"
        }
        guard isCloud else { return object(members) }
        let data = members.filter { !Self.attributes.contains($0.name) }
        guard self != .binary else { return object(data) }
        var attributes = members.filter { Self.attributes.contains($0.name) }
        attributes.append(("specversion", #""1.0""#))
        if !attributes.contains(where: { $0.name == "source" }) { attributes.append(("source", #""/crm""#)) }
        // Before some attributes and after others.
        attributes.insert(("data", object(data)), at: attributes.count / 2)
        return object(attributes)
    }

    /// Returns the body with the texts of events; a format for one event takes the first.
    func body(_ texts: [String]) -> String {
        switch self {
        case .array, .cloudEventBatch: "[" + texts.joined(separator: ",") + "]"
        case .lines: texts.joined(separator: "\n")
        case .single, .cloudEvent, .binary: texts.first ?? ""
        }
    }

    /// The headers in addition to `Content-Type`.
    func headers(_ members: Members) -> HTTPFields {
        guard self == .binary else { return [:] }
        var headers: HTTPFields = [.ceSpecVersion: "1.0"]
        var all = members
        if !all.contains(where: { $0.name == "source" }) { all.append(("source", #""/crm""#)) }
        for (name, value) in all where Self.attributes.contains(name) {
            guard let field = HTTPField.Name("ce-" + name), let text = (try? JSON(value))?.string else { continue }
            headers.append(HTTPField(name: field, value: Self.encoded(text)))
        }
        return headers
    }

    /// All headers.
    func allHeaders(_ members: Members) -> HTTPFields {
        var headers = headers(members)
        headers[.contentType] = contentType
        return headers
    }

    /// Percent-encodes a text as CloudEvents requires.
    private static func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            if byte > 0x20, byte < 0x7F, byte != UInt8(ascii: "%"), byte != UInt8(ascii: "\"") {
                return String(UnicodeScalar(byte))
            }
            let digits = String(byte, radix: 16)
            return "%" + (digits.utf8.count == 1 ? "0" : "") + digits
        }.joined()
    }
}
