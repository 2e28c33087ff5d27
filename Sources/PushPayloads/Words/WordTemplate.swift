import Mustache

/// A template of a notification's title or text: a small part of Mustache, parsed once and rendered without escapes.
///
/// The supported syntax: `{{name}}` (also `{{{name}}}` and `{{&name}}`, which are the same), `{{#name}}…{{/name}}` if
/// there is such a value, `{{^name}}…{{/name}}` if there is none, and `{{! comments }}`. Nothing is included, called or
/// redefined.
package struct WordTemplate: Sendable {
    /// The names that a template may use.
    package enum Name: String, CaseIterable, Sendable {
        /// The agent's name; absent if the brand hides it.
        case agent
        /// The brand's name.
        case brand
        /// The message's text; absent if the brand hides it.
        case text
        /// The message's own title; absent if the brand hides it.
        case title
        /// The consumer's unread count.
        case unread
        /// The conversation's id.
        case conversation
        /// The number of messages in a summary; absent in other pushes.
        case count
    }

    /// An error in a template.
    package struct Fault: Error, Equatable {
        /// The error and its position, phrased to follow the member's name: "has … at character 12".
        package var detail: String
    }

    /// The longest template of a title or a text, in bytes: with the longest text for each name, the output stays below
    /// a megabyte.
    package static let maxBytes = 1024

    private let template: MustacheTemplate
    /// Braces at the end, which the library would read as the start of a tag.
    private let end: String

    /// Parses a template; throws ``Fault`` with the position.
    package init(_ text: String) throws(Fault) {
        guard text.utf8.count <= Self.maxBytes else { throw Fault(detail: "must be at most \(Self.maxBytes) bytes") }
        try Self.check(text)
        // The library escapes for HTML unless the content type is TEXT.
        let body = text.reversed().drop { $0 == "{" }.count
        guard let parsed = try? MustacheTemplate(string: "{{% CONTENT_TYPE:TEXT}}" + text.prefix(body)) else {
            throw Fault(detail: "is not a template")
        }
        template = parsed
        end = String(text.dropFirst(body))
    }

    /// Renders the template with the value of each name; nil is absent.
    func render(_ values: @escaping (Name) -> String?) -> String { template.render(Values(value: values)) + end }

    private struct Values: MustacheParent {
        let value: (Name) -> String?

        func child(named name: String) -> Any? { Name(rawValue: name).flatMap(value) }
    }

    // MARK: Validation

    /// Rejects syntax that the library supports but notifications do not, with its position.
    private static func check(_ text: String) throws(Fault) {
        var open: [(name: String, place: Int)] = []
        var rest = text[...]
        while let start = rest.firstRange(of: "{{") {
            let place = text.distance(from: text.startIndex, to: start.lowerBound) + 1
            func fault(_ detail: String) -> Fault { Fault(detail: "\(detail) at character \(place)") }
            rest = rest[start.upperBound...]
            let end = rest.hasPrefix("{") ? "}}}" : "}}"
            guard let stop = rest.firstRange(of: end) else { throw fault("has a tag without an end") }
            let tag = rest[..<stop.lowerBound]
            rest = rest[stop.upperBound...]
            guard let sign = tag.first else { throw fault("has an empty tag") }
            if sign == "!" { continue }
            if "><$%=*".contains(sign) { throw fault("has a tag that is not supported ({{\(sign)…}})") }
            let hasSign = "#^/&{".contains(sign)
            let name = String(
                (hasSign ? tag.dropFirst() : tag).drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()
            )
            guard Name(rawValue: name) != nil else {
                let known = Name.allCases.map(\.rawValue).joined(separator: ", ")
                throw fault("has a tag that names none of \(known)")
            }
            if sign == "#" || sign == "^" { open.append((name, place)) }
            if sign == "/", open.popLast()?.name != name { throw fault("ends a section that is not open") }
        }
        if let last = open.last { throw Fault(detail: "has a section without an end at character \(last.place)") }
    }
}
