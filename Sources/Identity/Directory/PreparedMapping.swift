package import TextFormats

/// The mapping of a helpdesk's webhook, whose pointers are read once and not for each request (Helpdesks page).
package struct PreparedMapping: Sendable {
    /// A place in the body.
    package struct Place: Sendable {
        /// Its pointer.
        package let pointer: StrictJSON.Pointer
        /// The number of the pointer in the selection.
        package let number: Int
    }

    /// A condition of the filter.
    package struct Condition: Sendable {
        /// The place in the body.
        package let place: Place
        /// The values of which the body has one there.
        package let values: [StrictJSON]
    }

    /// The value of a member of the event.
    package indirect enum Template: Sendable {
        /// This value.
        case constant(StrictJSON)
        /// The value at this place in the body.
        case copy(Place)
        /// An object of these members.
        case object([Member])
    }

    /// A member of the event, or of an object in it.
    package struct Member: Sendable {
        /// Its name.
        package let name: BoundedName
        /// Its value.
        package let template: Template
    }

    /// The conditions that a body must meet, all of them.
    package let filter: [Condition]
    /// The members of the event.
    package let event: [Member]
    /// The values that are read of a body.
    package let selection: StrictJSON.Selection

    /// Prepares a mapping; nil for one with a text that should be a JSON pointer and is none.
    ///
    /// - Parameter mapping: The JSON of the mapping, checked when it was put.
    package init?(_ mapping: StrictJSON) {
        var pointers: [StrictJSON.Pointer] = []
        var filter: [Condition] = []
        for (name, wanted) in mapping.value(at: "/filter")?.members ?? [:] {
            guard let place = Self.place(name.text, &pointers) else { return nil }
            if case .array(let values) = wanted {
                filter.append(Condition(place: place, values: values))
            } else {
                filter.append(Condition(place: place, values: [wanted]))
            }
        }
        guard let event = Self.members(mapping.value(at: "/event")?.members ?? [:], &pointers) else { return nil }
        self.filter = filter
        self.event = event
        selection = StrictJSON.Selection(pointers)
    }

    /// Returns the text of an object `{"pointer": TEXT}` of a mapping, which is to be a JSON pointer; nil for any other
    /// object.
    package static func pointer(_ members: StrictJSON.Members) -> String? {
        members.count == 1 ? members["pointer"]?.text : nil
    }

    private static func members(_ members: StrictJSON.Members, _ pointers: inout [StrictJSON.Pointer]) -> [Member]? {
        var prepared: [Member] = []
        for (name, template) in members {
            guard let template = Self.template(template, &pointers) else { return nil }
            prepared.append(Member(name: name, template: template))
        }
        return prepared
    }

    private static func template(_ template: StrictJSON, _ pointers: inout [StrictJSON.Pointer]) -> Template? {
        guard case .object(let members) = template else { return .constant(template) }
        guard let text = pointer(members) else { return Self.members(members, &pointers).map { .object($0) } }
        return place(text, &pointers).map { .copy($0) }
    }

    private static func place(_ text: String, _ pointers: inout [StrictJSON.Pointer]) -> Place? {
        guard let pointer = StrictJSON.Pointer(text) else { return nil }
        pointers.append(pointer)
        return Place(pointer: pointer, number: pointers.count - 1)
    }
}
