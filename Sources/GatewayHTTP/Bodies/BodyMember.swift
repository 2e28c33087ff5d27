internal import Crypto
internal import Identity
internal import TextFormats

/// A member of a request's body, there or not, with its JSON pointer (RFC 6901).
///
/// What it holds is asked of ``FieldChecks``, which notes what is wrong with it.
struct BodyMember {
    /// Where it is, or would be.
    let pointer: String
    /// What it holds; nil when it is absent.
    let value: StrictJSON?

    /// Whether the body names it, be it as null.
    var isNamed: Bool { value != nil }

    /// Whether it is absent or null, which is the same but for patches.
    var isEmpty: Bool { value == nil || value == .null }
}

/// An object of a request's body.
struct BodyObject {
    /// Where it is; the body itself is "".
    let pointer: String
    private let members: StrictJSON.Members
    /// The text of the whole body; empty for an object within it.
    let text: [UInt8]

    init(pointer: String, members: StrictJSON.Members, text: [UInt8] = []) {
        self.pointer = pointer
        self.members = members
        self.text = text
    }

    /// SHA-256 of the text of the whole body.
    var hash: [UInt8] { Array(SHA256.hash(data: text)) }

    /// The names of all its members, sorted.
    var names: [BoundedName] { members.keys.sorted() }

    /// The names of members that are not known, sorted; where there are many, any of them.
    ///
    /// - Parameters:
    ///   - known: The names that are known.
    ///   - limit: The most that is looked for.
    /// - Returns: So many names at most.
    func names(besides known: some Collection<BoundedName>, atMost limit: Int) -> [BoundedName] {
        members.keys.lazy.filter { !known.contains($0) }.prefix(limit).sorted()
    }

    /// The member of a name.
    subscript(name: BoundedName) -> BodyMember {
        BodyMember(pointer: pointer + FieldProblem.pointer([name.text]), value: members[name])
    }
}
