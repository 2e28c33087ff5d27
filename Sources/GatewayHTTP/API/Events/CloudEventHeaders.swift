internal import CSimdjson
internal import HTTPTypes
internal import TextFormats

/// The attributes of a CloudEvent in binary mode, decoded (its HTTP binding, section 3.1.3).
///
/// Extension attributes, and attributes that the gateway does not use, are ignored.
package struct CloudEventHeaders: Sendable {
    /// An attribute: the range of its text in ``texts``, if it has one.
    private struct Attribute: Sendable {
        var offset = 0
        var count = 0
        var isPresent = false
    }

    /// The concatenated texts.
    private var texts: [UInt8] = []
    private var specVersion = Attribute()
    private var id = Attribute()
    private var type = Attribute()
    private var source = Attribute()
    private var time = Attribute()
    /// The errors of headers that cannot be decoded; their attributes count as absent.
    private(set) var problems: [FieldProblem] = []

    /// Reads the headers.
    init(_ headers: HTTPFields) {
        specVersion = read(.ceSpecVersion, headers)
        id = read(.ceID, headers)
        type = read(.ceType, headers)
        source = read(.ceSource, headers)
        time = read(.ceTime, headers)
        if headers.contains(.ceDataContentType) {
            fail(.ceDataContentType, "must not be sent with Content-Type")
        }
    }

    /// Passes the attributes to the members of an event, for the duration of a call.
    func lend<Result>(to members: UnsafeMutablePointer<event_members>, _ body: () -> Result) -> Result {
        texts.withUnsafeBufferPointer { texts in
            func text(_ attribute: Attribute) -> event_text {
                guard attribute.isPresent, let base = texts.baseAddress else { return event_text() }
                return event_text(bytes: base + attribute.offset, count: attribute.count, shape: EVENT_VALUE)
            }
            members.pointee.spec_version = text(specVersion)
            members.pointee.identifier = text(id)
            members.pointee.type = text(type)
            members.pointee.source = text(source)
            members.pointee.time = text(time)
            return body()
        }
    }

    private mutating func read(_ name: HTTPField.Name, _ headers: HTTPFields) -> Attribute {
        let values = headers[values: name]
        guard let value = values.first else { return Attribute() }
        guard values.count == 1 else {
            fail(name, "appears more than once")
            return Attribute()
        }
        guard let text = Self.decode(value) else {
            fail(name, "must be percent-encoded UTF-8")
            return Attribute()
        }
        // An additional last byte gives empty texts an address.
        let attribute = Attribute(offset: texts.count, count: text.utf8.count, isPresent: true)
        texts.append(contentsOf: text.utf8)
        texts.append(0)
        return attribute
    }

    private mutating func fail(_ name: HTTPField.Name, _ detail: String) {
        problems.append(FieldProblem(pointer: "/" + name.canonicalName, detail: detail))
    }

    /// Removes double quotes, which older senders write, and then percent-encoding, once.
    private static func decode(_ value: String) -> String? {
        guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else { return nil }
        guard value.utf8.first == UInt8(ascii: "\"") else { return PercentEncoding.decode(value[...]) }
        var plain: [UInt8] = []
        var isEscaped = false
        var isClosed = false
        for byte in value.utf8.dropFirst() {
            guard !isClosed else { return nil }
            if !isEscaped, byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if !isEscaped, byte == UInt8(ascii: "\"") {
                isClosed = true
            } else {
                plain.append(byte)
                isEscaped = false
            }
        }
        return isClosed ? PercentEncoding.decode(String(decoding: plain, as: UTF8.self)[...]) : nil
    }
}
