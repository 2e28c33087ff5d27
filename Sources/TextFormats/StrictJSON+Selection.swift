extension StrictJSON {
    /// The places of a text whose values are read: JSON pointers, as a tree of names.
    ///
    /// The rest is checked to be JSON, and takes neither memory nor the time to make it. Members of the same name are only
    /// found on the way to a place, and in the values that are read.
    package struct Selection: Sendable {
        /// One name on the way to a place.
        struct Node: Sendable {
            let step: Pointer.Step
            /// The numbers of the pointers that end here.
            var pointers: [Int] = []
            /// The first node below; nil when there is none.
            var firstChild: Int?
            /// The next node with the same parent; nil for the last one.
            var sibling: Int?
        }

        /// The nodes: the root of the text is the first one.
        private(set) var nodes = [Node(step: Pointer.Step(name: nil, index: nil))]
        /// The number of pointers.
        private(set) var count = 0

        /// Selects the values at JSON pointers.
        package init(_ pointers: some Sequence<Pointer>) {
            for pointer in pointers { add(pointer.steps) }
        }

        /// Selects the values at JSON pointers; a text that is no pointer selects nothing.
        package init(_ pointers: some Sequence<String>) {
            for pointer in pointers { add(Pointer(pointer)?.steps) }
        }

        private mutating func add(_ steps: [Pointer.Step]?) {
            defer { count += 1 }
            guard let steps else { return }
            var place = 0
            for step in steps {
                // No member has a longer name.
                guard let name = step.name else { return }
                if let child = Self.child(of: place, in: nodes, where: { $0.step.name == name }) {
                    place = child
                } else {
                    nodes.append(Node(step: step, sibling: nodes[place].firstChild))
                    nodes[place].firstChild = nodes.count - 1
                    place = nodes.count - 1
                }
            }
            nodes[place].pointers.append(count)
        }

        /// Returns the node below another one that meets a condition; nil when there is none.
        @inline(__always)
        static func child(of parent: Int, in nodes: [Node], where isWanted: (borrowing Node) -> Bool) -> Int? {
            var child = nodes[parent].firstChild
            while let place = child {
                if isWanted(nodes[place]) { return place }
                child = nodes[place].sibling
            }
            return nil
        }
    }

    /// Parses one value that is the whole text, and returns the selected values in it.
    ///
    /// - Parameters:
    ///   - bytes: The text, UTF-8.
    ///   - maxDepth: The maximum number of levels of objects and arrays.
    ///   - selection: Which values are returned.
    /// - Returns: The value at each of the pointers, in their order; nil where the text has none.
    /// - Throws: ``Rejection``.
    package static func parse(
        _ bytes: [UInt8],
        maxDepth: Int,
        selecting selection: Selection
    ) throws(Rejection) -> [StrictJSON?] {
        try parse(bytes, maxDepth, selection) { reader throws(Rejection) in
            try reader.select(0, depth: 0)
            return reader.selected
        }
    }

    /// Validates one value that is the whole text, and returns whether it is an object with a member.
    ///
    /// - Parameters:
    ///   - bytes: The text, UTF-8.
    ///   - maxDepth: The maximum number of levels of objects and arrays.
    ///   - member: A selection of one pointer, which names something in the member: the member itself is not made.
    /// - Returns: False for a value that is not an object or lacks the member.
    /// - Throws: ``Rejection``.
    package static func isObject(
        _ bytes: [UInt8],
        maxDepth: Int,
        having member: Selection
    ) throws(Rejection) -> Bool {
        try parse(bytes, maxDepth, member) { reader throws(Rejection) in
            try reader.select(0, depth: 0)
            return !reader.isFirst(1)
        }
    }
}
