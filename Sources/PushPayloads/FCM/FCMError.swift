internal import TextFormats

/// The relevant parts of Google's error body (ProviderFacts page, B4), read leniently: details in any order, several or
/// none.
struct FCMError {
    /// `errorCode` of the FcmError detail; the only member with the state of a token.
    var code: String?
    /// The google.rpc name, `error.status`; not the FCM code.
    var rpcStatus: String?
    /// The subject of the error, if its code has several meanings.
    var facet: Facet?

    /// The subject of an error code with several meanings.
    enum Facet {
        /// The registration token is malformed.
        case token
        /// APNs reported to FCM that its token is unregistered.
        case apnsUnregistered
        /// The rate limit of one device, not of the project.
        case deviceRate
    }

    init(body: [UInt8]) {
        guard let error = JSONValue(body: body)?["error"] else { return }
        rpcStatus = error["status"]?.text
        let message = error["message"]?.text?.asciiLowercased ?? ""
        var namesToken = false
        var isFieldFault = false
        for detail in error["details"]?.elements ?? [] {
            guard let type = detail["@type"]?.text else { continue }
            if type.hasByteSuffix("FcmError") {
                code = code ?? detail["errorCode"]?.text
            } else if type.hasByteSuffix("ApnsError") {
                if detail["statusCode"]?.integer == 410
                    || detail["reason"]?.text?.hasSameBytes(as: "Unregistered") == true
                {
                    facet = .apnsUnregistered
                }
            } else if type.hasByteSuffix("BadRequest") {
                isFieldFault = true
                for violation in detail["fieldViolations"]?.elements ?? []
                where violation["field"]?.text?.hasSameBytes(as: "message.token") == true {
                    namesToken = true
                }
            } else if type.hasByteSuffix("QuotaFailure") {
                for violation in detail["violations"]?.elements ?? [] {
                    let text = (violation["subject"]?.text ?? "") + " " + (violation["description"]?.text ?? "")
                    if text.asciiLowercased.containsBytes(of: "device") { facet = facet ?? .deviceRate }
                }
            }
        }
        if facet == nil, namesToken || (!isFieldFault && code != nil && message.containsBytes(of: "registration token"))
        {
            facet = .token
        }
    }
}
