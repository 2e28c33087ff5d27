import Testing

@testable import TextFormats

@Suite("The members of a JSON object")
struct StrictJSONMembersTests {
    private typealias Members = StrictJSON.Members

    /// Returns members `m0` to `m(count - 1)`, each with its number.
    private func members(_ count: Int) -> Members {
        var members = Members()
        for number in 0..<count { members[BoundedName(known: "m\(number)")] = .integer(Int64(number)) }
        return members
    }

    @Test("each is found by its name, for few and for many", arguments: [0, 1, 8, 16, 17, 18, 200])
    func found(count: Int) {
        let members = members(count)
        #expect(members.count == count && members.isEmpty == (count == 0))
        for number in 0..<count { #expect(members[BoundedName(known: "m\(number)")] == .integer(Int64(number))) }
        #expect(members[BoundedName(known: "m\(count)")] == nil && members[""] == nil)
        #expect(members.keys.map(\.text) == (0..<count).map { "m\($0)" })
    }

    @Test("a name is unique: insert rejects a second value, and setting one replaces it", arguments: [2, 30])
    func once(count: Int) {
        var members = members(count)
        let isInserted = members.insert("m1", .null)
        #expect(!isInserted)
        #expect(members["m1"] == .integer(1) && members.count == count)
        members["m1"] = .null
        #expect(members["m1"] == .null && members.count == count)
    }

    @Test("removing a member keeps the others findable", arguments: [3, 17, 18, 40])
    func removed(count: Int) {
        var members = members(count)
        members["m0"] = nil
        members["absent"] = nil
        #expect(members.count == count - 1 && members["m0"] == nil)
        for number in 1..<count { #expect(members[BoundedName(known: "m\(number)")] == .integer(Int64(number))) }
    }

    @Test("objects are equal for any order of their members", arguments: [3, 40])
    func compared(count: Int) {
        let members = members(count)
        let reversed = Members(members.reversed())
        #expect(reversed == members)
        var other = reversed
        other["m1"] = .null
        #expect(other != members)
        other["m1"] = nil
        #expect(other != members)
    }
}
