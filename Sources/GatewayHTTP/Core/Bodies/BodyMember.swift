internal import Cryptography
internal import TextFormats

/// A member of a request body, present or absent, with its JSON pointer (RFC 6901).
///
/// Its value is read with ``FieldChecks``, which collects the errors.
struct BodyMember {
    /// The value; nil when the member is absent.
    let value: StrictJSON?
    /// The JSON pointer of the member without its name, if it has one: most members need no pointer.
    private let parent: String
    private let name: BoundedName?

    /// Creates a member; with its name and the JSON pointer of its object, or with the pointer alone.
    init(pointer: String, _ name: BoundedName? = nil, value: StrictJSON?) {
        parent = pointer
        self.name = name
        self.value = value
    }

    /// The JSON pointer of the member, also when it is absent.
    var pointer: String { name.map { parent + FieldProblem.pointer([$0.text]) } ?? parent }

    /// Whether the body contains the member, even as null.
    var isNamed: Bool { value != nil }

    /// Whether it is absent or null, which is the same except for patches.
    var isEmpty: Bool { value == nil || value == .null }
}

/// An object of a request body.
struct BodyObject {
    /// The JSON pointer of the object; "" for the body itself.
    let pointer: String
    private let members: StrictJSON.Members
    /// The text of the whole body; empty for an object within it.
    let text: [UInt8]

    init(pointer: String, members: StrictJSON.Members, text: [UInt8] = []) {
        self.pointer = pointer
        self.members = members
        self.text = text
    }

    /// Parses a text that must be a JSON object; throws `Problem` 400.
    static func parse(_ text: [UInt8]) throws(Problem) -> BodyObject {
        let value: StrictJSON
        do { value = try StrictJSON.parse(text, maxDepth: EventParser.maxDepth, takesZeroFractions: true) } catch {
            throw Problem(error)
        }
        guard case .object(let members) = value else { throw .unreadable("The JSON must be an object.") }
        return BodyObject(pointer: "", members: members, text: text)
    }

    /// SHA-256 of the text of the whole body.
    var hash: [UInt8] { Array(SHA256.hash(data: text)) }

    /// The names of all its members, sorted.
    var names: [BoundedName] { members.keys.sorted() }

    /// Returns unknown members' names, sorted; where there are many, any of them.
    func names(besides known: some Collection<BoundedName>, atMost limit: Int) -> [BoundedName] {
        members.keys.lazy.filter { !known.contains($0) }.prefix(limit).sorted()
    }

    /// Returns the member with a name.
    subscript(name: BoundedName) -> BodyMember {
        BodyMember(pointer: pointer, name, value: members[name])
    }
}
