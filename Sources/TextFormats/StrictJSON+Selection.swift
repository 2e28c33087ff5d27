extension StrictJSON {
    /// Which values of a text are kept when it is parsed.
    ///
    /// The rest is checked to be JSON, and takes neither memory nor the time to make it. Members of the same name are only
    /// found among those that are kept.
    package indirect enum Selection: Sendable, Equatable {
        /// The value and all that is in it.
        case all
        /// Of an object only these members; every other value as a whole.
        case members([Member])

        /// A member that is kept.
        package struct Member: Sendable, Equatable {
            /// Its name.
            let name: BoundedName
            /// Its name's bytes.
            let bytes: [UInt8]
            /// The values that are kept of it.
            var selection: Selection
        }

        /// Selects the values at JSON pointers (RFC 6901); a text that is no pointer selects nothing.
        package init(_ pointers: some Sequence<String>) {
            self = .members([])
            for pointer in pointers {
                guard let tokens = StrictJSON.tokens(of: pointer) else { continue }
                add(tokens[...])
            }
        }

        private mutating func add(_ tokens: ArraySlice<String>) {
            guard case .members(var members) = self else { return }
            guard let token = tokens.first else {
                self = .all
                return
            }
            // No member has a longer name.
            guard let name = BoundedName(token) else { return }
            let place = members.firstIndex { $0.name == name } ?? members.endIndex
            if place == members.endIndex {
                members.append(Member(name: name, bytes: Array(token.utf8), selection: .members([])))
            }
            members[place].selection.add(tokens.dropFirst())
            self = .members(members)
        }
    }
}
