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
            /// The values that are kept of it.
            var selection: Selection
        }

        /// Selects the values at JSON pointers.
        package init(_ pointers: some Sequence<Pointer>) {
            self = .members([])
            for pointer in pointers { add(pointer.steps[...]) }
        }

        /// Selects the values at JSON pointers; a text that is no pointer selects nothing.
        package init(_ pointers: some Sequence<String>) { self.init(pointers.compactMap { Pointer($0) }) }

        private mutating func add(_ steps: ArraySlice<Pointer.Step>) {
            guard case .members(var members) = self else { return }
            guard let step = steps.first else {
                self = .all
                return
            }
            // No member has a longer name.
            guard let name = step.name else { return }
            let place = members.firstIndex { $0.name == name } ?? members.endIndex
            if place == members.endIndex { members.append(Member(name: name, selection: .members([]))) }
            members[place].selection.add(steps.dropFirst())
            self = .members(members)
        }
    }
}
