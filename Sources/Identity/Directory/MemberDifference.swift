internal import FoundationEssentials
internal import TextFormats

/// The names of the JSON members that differ between two values: all that the audit trail may contain of secret values.
enum MemberDifference {
    /// Returns the dotted names of members that differ, such as `apns.privateKey`, sorted; an array is one member, and
    /// without an old value every member differs.
    static func names<Value: Encodable>(from old: Value?, to new: Value) -> [String] {
        var names: Set<String> = []
        var before: StrictJSON?
        if let old { before = json(old) }
        collect(before ?? .object([:]), json(new) ?? .object([:]), "", &names)
        return names.sorted()
    }

    private static func json(_ value: some Encodable) -> StrictJSON? {
        guard let text = try? JSONEncoder().encode(value) else { return nil }
        return try? StrictJSON.parse([UInt8](text))
    }

    private static func collect(_ old: StrictJSON, _ new: StrictJSON, _ name: String, _ names: inout Set<String>) {
        let (before, after) = (old.members, new.members)
        // An object that is added or removed is listed by its members.
        guard before != nil || after != nil, before != nil || old == .null, after != nil || new == .null else {
            if old != new { names.insert(name) }
            return
        }
        let (oldMembers, newMembers) = (before ?? [:], after ?? [:])
        for key in Set(oldMembers.keys).union(newMembers.keys) {
            collect(
                oldMembers[key] ?? .null,
                newMembers[key] ?? .null,
                name.isEmpty ? key.text : "\(name).\(key)",
                &names
            )
        }
    }
}
