extension StrictJSON {
    /// The members of an object, in the order of the text, each name once.
    ///
    /// A token's objects have few members: up to ``Members/fewMembers`` of them are searched one by one, which takes
    /// less time than hashing a name. More of them are found by their hash.
    package struct Members: Sendable, Equatable, Sequence, ExpressibleByDictionaryLiteral {
        /// A member: its name and its value.
        package typealias Element = (key: BoundedName, value: StrictJSON)

        private static let fewMembers = 16

        private var list: [Element] = []
        /// The position of each name in the list; nil while there are few, which costs a copy nothing.
        private var places: [BoundedName: Int]?

        /// Creates an empty object.
        package init() {}

        /// Creates an object of names and values; the last value of a name counts.
        package init(dictionaryLiteral elements: (BoundedName, StrictJSON)...) {
            for (name, value) in elements { self[name] = value }
        }

        /// Creates an object of names and values; the last value of a name counts.
        package init(_ elements: some Sequence<Element>) {
            for (name, value) in elements { self[name] = value }
        }

        /// The number of members.
        package var count: Int { list.count }

        /// Whether there are none.
        package var isEmpty: Bool { list.isEmpty }

        /// The names, in the members' order.
        package var keys: [BoundedName] { list.map(\.key) }

        /// The value of a name; nil when there is no such member.
        ///
        /// Setting nil removes the member.
        package subscript(name: BoundedName) -> StrictJSON? {
            get { place(of: name).map { list[$0].value } }
            set {
                switch (place(of: name), newValue) {
                case (let place?, let value?): list[place].value = value
                case (let place?, nil):
                    list.remove(at: place)
                    index()
                case (nil, let value?): append(name, value)
                case (nil, nil): break
                }
            }
        }

        /// Adds a member, unless there is one with its name; false when there is one, which stays as it is.
        mutating func insert(_ name: BoundedName, _ value: StrictJSON) -> Bool {
            guard place(of: name) == nil else { return false }
            append(name, value)
            return true
        }

        /// Reserves capacity for a number of members.
        package mutating func reserveCapacity(_ count: Int) { list.reserveCapacity(count) }

        /// Returns an iterator over the members, in their order.
        package func makeIterator() -> IndexingIterator<[Element]> { list.makeIterator() }

        /// Compares the members, in any order.
        package static func == (lhs: Members, rhs: Members) -> Bool {
            lhs.count == rhs.count && lhs.list.allSatisfy { rhs[$0.key] == $0.value }
        }

        private func place(of name: BoundedName) -> Int? {
            if let places { return places[name] }
            // Without a closure, to which each member would be copied.
            for place in list.indices where list[place].key == name { return place }
            return nil
        }

        private mutating func append(_ name: BoundedName, _ value: StrictJSON) {
            list.append((name, value))
            if places != nil {
                places?[name] = list.count - 1
            } else if list.count > Self.fewMembers {
                index()
            }
        }

        private mutating func index() {
            places = nil
            guard list.count > Self.fewMembers else { return }
            var places: [BoundedName: Int] = [:]
            for (place, member) in list.enumerated() { places[member.key] = place }
            self.places = places
        }
    }
}
