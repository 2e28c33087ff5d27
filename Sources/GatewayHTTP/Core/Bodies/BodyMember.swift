internal import Cryptography
internal import TextFormats

/// A member of a request body, present or absent, with its JSON pointer (RFC 6901).
///
/// Its value is read with ``FieldChecks``, which collects the errors.
struct BodyMember {
    /// The value; nil when the member is absent.
    let value: StrictJSON?
    private let object: BodyPlace
    private let name: BoundedName?

    /// Creates a member; with its name and the place of its object, or with the place alone.
    init(at place: BodyPlace, _ name: BoundedName? = nil, value: StrictJSON?) {
        object = place
        self.name = name
        self.value = value
    }

    /// Its place, also when it is absent.
    var place: BodyPlace { name.map { .member($0, of: object) } ?? object }

    /// The JSON pointer of its place.
    var pointer: String { place.pointer }

    /// Whether the body contains the member, even as null.
    var isNamed: Bool { value != nil }

    /// Whether it is absent or null, which is the same except for patches.
    var isEmpty: Bool { value?.isNull ?? true }
}

/// The place of a value in a body: most of them need no text, which is made for an error only.
enum BodyPlace: Sendable {
    /// By its JSON pointer; "" for the body itself.
    case pointer(String)
    indirect case member(BoundedName, of: BodyPlace)
    indirect case item(Int, of: BodyPlace)

    /// The JSON pointer (RFC 6901).
    var pointer: String {
        switch self {
        case .pointer(let text): text
        case .member(let name, let object): object.pointer + FieldProblem.pointer([name.text])
        case .item(let index, let array): "\(array.pointer)/\(index)"
        }
    }
}

/// An object of a request body.
struct BodyObject {
    private let place: BodyPlace
    private let members: StrictJSON.Members
    /// The text of the whole body; empty for an object within it.
    let text: [UInt8]

    init(at place: BodyPlace = .pointer(""), members: StrictJSON.Members, text: [UInt8] = []) {
        self.place = place
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
        return BodyObject(members: members, text: text)
    }

    /// The JSON pointer of the object; "" for the body itself.
    var pointer: String { place.pointer }

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
        BodyMember(at: place, name, value: members[name])
    }
}
