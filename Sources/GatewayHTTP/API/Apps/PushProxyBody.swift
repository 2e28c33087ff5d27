internal import GatewayModel
internal import TextFormats

/// An app's push proxy in a body, within LivePerson's limits for custom headers (ComingFromLivePerson page).
enum PushProxyBody {
    /// Names that HTTP, or the request itself, gives a meaning (RFC 9110).
    private static let reserved: Set<BoundedName> = [
        "authorization", "connection", "cookie", "expect", "host", "te", "trailer", "upgrade",
    ]

    /// Reads the settings; nil when a member is invalid, which is recorded as an error.
    static func settings(_ object: BodyObject, _ checks: inout FieldChecks) -> PushProxySettings? {
        checks.rejectOthers(in: object, than: ["url", "basic", "headers"])
        // The address is checked with those of the other endpoints.
        let url = checks.line(object["url"], atMost: 2048, isRequired: true)
        let basic = checks.object(object["basic"]).flatMap { self.basic($0, &checks) }
        let headers = checks.object(object["headers"]).flatMap { self.headers($0, &checks) }
        return url.map { PushProxySettings(url: $0, basic: basic, headers: headers) }
    }

    private static func basic(_ object: BodyObject, _ checks: inout FieldChecks) -> PushProxySettings.Basic? {
        checks.rejectOthers(in: object, than: ["username", "password"])
        let limit = PushProxySettings.basicBytes
        let username = checks.line(object["username"], atMost: limit, isRequired: true)
        let password = checks.line(object["password"], atMost: limit, isRequired: true)
        if let username, username.utf8.contains(UInt8(ascii: ":")) {
            checks.fail(object["username"].pointer, "must not contain a colon")
        }
        guard let username, let password else { return nil }
        return PushProxySettings.Basic(username: username, password: password)
    }

    private static func headers(_ object: BodyObject, _ checks: inout FieldChecks) -> [String: String]? {
        let names = object.names
        guard names.count <= PushProxySettings.maxHeaders else {
            checks.fail(object.pointer, "must have at most \(PushProxySettings.maxHeaders) headers")
            return nil
        }
        var headers: [String: String] = [:]
        var known = reserved
        for name in names {
            let member = object[name]
            guard let value = checks.text(member, isRequired: true) else { continue }
            guard let lower = BoundedName(lowercasing: name.text), isName(name.text), known.insert(lower).inserted
            else {
                let rule = "must be a name of 1 to \(PushProxySettings.headerNameBytes) ASCII letters"
                checks.fail(member.pointer, rule + ", which is free and given once")
                continue
            }
            guard isValue(value) else {
                let rule = "must be 1 to \(PushProxySettings.headerValueBytes) ASCII letters, digits and -_$&@.#*"
                checks.fail(member.pointer, rule)
                continue
            }
            headers[name.text] = value
        }
        return headers.isEmpty ? nil : headers
    }

    private static func isName(_ text: String) -> Bool {
        (1...PushProxySettings.headerNameBytes).contains(text.utf8.count) && text.utf8.allSatisfy(isLetter)
    }

    private static func isValue(_ text: String) -> Bool {
        (1...PushProxySettings.headerValueBytes).contains(text.utf8.count)
            && text.utf8.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || "-_$&@.#*".utf8.contains($0) }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
}
