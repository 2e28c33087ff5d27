internal import CSimdjson
internal import GatewayModel
internal import TextFormats

// The additional rules of CloudEvents (CloudEvents 1.0 sections 3.1 and 3.2, its JSON format section 3.1).
extension EventValidator {
    private static let attributes: Set<BoundedName> = ["/id", "/type", "/source", "/time", "/specversion"]

    /// Returns the pointer, for an error, of a member in the caller's body, or its header; `member` is its pointer in a
    /// plain event.
    func pointer(_ member: StaticString) -> String {
        let isAttribute = Self.attributes.contains(BoundedName(known: member.description))
        let member = member.description
        return switch form {
        case EVENT_ENVELOPE: isAttribute ? member : "/data" + member
        case EVENT_PAYLOAD: isAttribute ? "/ce-" + member.dropFirst() : member
        default: member
        }
    }

    /// Checks the attributes that plain events do not have, and that there is `data`.
    mutating func checkEnvelope(_ members: UnsafePointer<event_members>) {
        let version = present(members.pointee.spec_version, "/specversion", required: true)
        if let version, !version.hasSameBytes(as: "1.0") {
            problem("/specversion", "must be 1.0")
        }
        guard form == EVENT_ENVELOPE else { return }
        let type = members.pointee.content_type
        if type.shape == EVENT_WRONG_TYPE {
            problems.append(FieldProblem(pointer: "/datacontenttype", detail: "must be a string"))
        } else if let type = type.string, !MediaTypeName(type).isJSON {
            problems.append(FieldProblem(pointer: "/datacontenttype", detail: "must be a JSON media type"))
        }
        if members.pointee.base64 == EVENT_WRONG_TYPE {
            problems.append(
                FieldProblem(pointer: "/data_base64", detail: "is not supported: data must contain the event as JSON")
            )
        } else if members.pointee.payload == EVENT_WRONG_TYPE {
            problems.append(FieldProblem(pointer: "/data", detail: "must be an object"))
        } else if members.pointee.payload != EVENT_VALUE {
            problems.append(FieldProblem(pointer: "/data", detail: "is required"))
        }
    }

    /// Reads the source: any line in a plain event, a non-empty URI reference in a CloudEvent.
    mutating func source(_ member: event_text) -> String? {
        guard form != EVENT_PLAIN else {
            return line(member, "/source", atMost: EventLimits.sourceBytes, orEmpty: true)
        }
        guard holds(member, "/source", required: true) else { return nil }
        let bytes = UnsafeBufferPointer(start: member.bytes, count: member.count)
        guard member.count >= 1, member.count <= EventLimits.sourceBytes, Self.isURIReference(bytes) else {
            problem("/source", "must be a URI reference of 1 to \(EventLimits.sourceBytes) bytes")
            return nil
        }
        return member.string
    }

    /// Whether all bytes are allowed in a URI reference (RFC 3986 section 2), without checking its parts.
    private static func isURIReference(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        for (place, byte) in bytes.enumerated() {
            switch byte {
            case UInt8(ascii: "%"):
                guard place + 2 < bytes.count, Hexadecimal.value(of: bytes[place + 1]) != nil,
                    Hexadecimal.value(of: bytes[place + 2]) != nil
                else { return false }
            case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"), UInt8(ascii: "^"),
                UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"):
                return false
            default:
                guard byte > 0x20, byte < 0x7F else { return false }
            }
        }
        return true
    }
}
