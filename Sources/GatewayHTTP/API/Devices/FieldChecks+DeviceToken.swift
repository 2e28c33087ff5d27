internal import GatewayModel
internal import TextFormats

// The push type of a device, and its token.
extension FieldChecks {
    /// Reads `pushType` and `token`, both required; the token in the canonical form of its transport.
    mutating func deviceToken(in body: BodyObject, of app: AppSettings) -> (pushType: PushType?, token: String?) {
        let pushType = word(body["pushType"], as: PushType.self, isRequired: true)
        var token = text(body["token"], isRequired: true)
        guard let pushType else { return (nil, token) }
        if let given = token {
            let rule = pushType.transport.tokenRule
            token = rule.normalised(given)
            if token == nil { fail(body["token"].pointer, rule.requirement) }
        }
        checkCredential(for: pushType, of: app, at: body["pushType"].pointer)
        return (pushType, token)
    }

    /// Records an error if the app has no credential for a transport.
    mutating func checkCredential(for pushType: PushType, of app: AppSettings, at pointer: String) {
        if !app.supports(pushType) {
            fail(pointer, "is a type for which the app has no credential")
        }
    }
}
