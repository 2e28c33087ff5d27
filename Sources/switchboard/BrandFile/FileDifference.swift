import GatewayClient

/// A member that a file and the gateway have with different values.
struct FileDifference: Equatable {
    /// The dotted name of the member.
    var member: String
    /// The gateway's value; null for none.
    var from: JSONValue
    /// The file's value; null for none.
    var to: JSONValue

    /// Returns the members that differ, sorted by name; lists are compared as a whole.
    ///
    /// Null and an empty object are the same as an absent member.
    ///
    /// - Parameters:
    ///   - from: The gateway's value.
    ///   - to: The file's value.
    ///   - member: The name of the value; empty for the root.
    /// - Returns: Empty when nothing differs.
    static func list(from: JSONValue, to: JSONValue, _ member: String = "") -> [FileDifference] {
        let (from, to) = (from.compact, to.compact)
        guard from != to else { return [] }
        let names = Set(from.members.keys).union(to.members.keys)
        let areObjects = [from, to].allSatisfy { value in
            value == .null || !value.members.isEmpty && !value.isFingerprint
        }
        guard areObjects else { return [FileDifference(member: member, from: from, to: to)] }
        return names.sorted().flatMap { list(from: from[$0], to: to[$0], member.isEmpty ? $0 : "\(member).\($0)") }
    }

    /// The change of a secret, of which no value is shown; nil for other members.
    private var secretChange: String? {
        guard from.isFingerprint || to.isFingerprint else { return nil }
        return from == .null ? "set" : to == .null ? "removed" : "changed"
    }

    /// The difference on a line.
    var text: String {
        if let secretChange { return "\(member): \(secretChange)" }
        func shown(_ value: JSONValue) -> String { value == .null ? "none" : value.text }
        return from == .null ? "\(member): \(shown(to))" : "\(member): \(shown(from)) -> \(shown(to))"
    }

    /// The difference as JSON.
    var json: JSONValue {
        if let secretChange { return ["member": .string(member), "secret": .string(secretChange)] }
        return ["member": .string(member), "from": from, "to": to]
    }
}

extension JSONValue {
    /// The value without members that are null or empty objects.
    var compact: JSONValue {
        switch self {
        case .object(let members):
            let kept = members.mapValues(\.compact).filter { $0.value != .null }
            return kept.isEmpty ? .null : .object(kept)
        case .array(let items): return .array(items.map(\.compact))
        default: return self
        }
    }
}
