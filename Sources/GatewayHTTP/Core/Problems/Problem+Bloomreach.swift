internal import TextFormats

extension Problem {
    /// Appends the error in Bloomreach's format, with the gateway's code beside it.
    ///
    /// - Parameters:
    ///   - writer: The writer.
    ///   - isByMember: Whether errors of members are an object by member, as for attributes.
    func writeBloomreach(to writer: inout JSONWriter, isByMember: Bool) {
        writer.literal(#"{"success":false"#)
        if code == .notFound {
            writer.literal(#","errors":[{"code":"#)
            writer.string(code.rawValue)
            writer.member("description", title)
            writer.member("message", detail)
            writer.literal("}]")
        } else if errors.isEmpty {
            writer.member("error", detail)
        } else if isByMember {
            writeByMember(to: &writer)
        } else {
            writer.array("errors", errors) { $0.string("\($1.pointer) \($1.detail)") }
        }
        writer.member("code", code.rawValue)
        writer.member("reason", reason)
        writer.literal("}")
    }

    /// Appends `errors` as an object: of `customer_ids`, of `attributes` by their index, and of everything else.
    private func writeByMember(to writer: inout JSONWriter) {
        var (ids, others, attributes) = ([String](), [String](), [(index: String, texts: [String])]())
        for error in errors {
            let text = "\(error.pointer) \(error.detail)"
            let path = error.pointer.byteSplit("/")
            if path.first?.hasSameBytes(as: "customer_ids") ?? false {
                ids.append(text)
            } else if path.count > 1, path[0].hasSameBytes(as: "attributes") {
                let index = String(path[1])
                if attributes.last?.index == index {
                    attributes[attributes.count - 1].texts.append(text)
                } else {
                    attributes.append((index, [text]))
                }
            } else {
                others.append(text)
            }
        }
        writer.literal(#","errors":{"#)
        writer.array("_global", others) { $0.string($1) }
        writer.array("customer_ids", ids) { $0.string($1) }
        writer.literal(#","attributes":{"#)
        for attribute in attributes {
            writer.name(attribute.index)
            writer.literal("[")
            for text in attribute.texts {
                writer.separate()
                writer.string(text)
            }
            writer.literal("]")
        }
        writer.literal("}}")
    }
}
