/// Why FCM refuses a message, as its error body says it.
///
/// Sources: firebase.google.com "FCM error codes" and "ErrorCode"; the envelope is Google's common one.
struct FCMRefusal: Error {
    /// The HTTP status.
    var httpStatus: Int
    /// The name of the google.rpc code.
    var status: String
    /// For people.
    var message: String
    /// Machine-readable parts.
    var details: [JSONValue]

    /// The word under which the refusal is counted: FCM's error code when there is one, else the rpc code.
    var reason: String {
        for detail in self.details {
            if let code = detail["errorCode"]?.stringValue { return code }
        }
        return self.status
    }

    /// The answer.
    var reply: SimulatorReply {
        var error: [JSONValue.JSONMember] = [
            .init(name: "code", value: .integer(Int64(self.httpStatus))),
            .init(name: "message", value: .string(self.message)),
            .init(name: "status", value: .string(self.status)),
        ]
        if !self.details.isEmpty { error.append(.init(name: "details", value: .array(self.details))) }
        let challenge: [(name: String, value: String)] =
            self.httpStatus == 401 ? [("www-authenticate", "Bearer realm=\"https://accounts.google.com/\"")] : []
        return .json(self.httpStatus, headers: challenge, .object([.init(name: "error", value: .object(error))]))
    }
}

extension FCMRefusal {
    /// The JSON does not fit the message types: unknown names, wrong kinds of values.
    static func malformed(_ violations: [FCMFieldViolation]) -> Self {
        Self(
            httpStatus: 400,
            status: "INVALID_ARGUMENT",
            message: violations.map(\.text).joined(separator: "\n"),
            details: [Self.badRequest(violations)]
        )
    }

    /// The JSON fits, but FCM does not take a value in it.
    static func invalid(_ violation: FCMFieldViolation) -> Self {
        Self(
            httpStatus: 400,
            status: "INVALID_ARGUMENT",
            message: violation.text,
            details: [Self.fcmError("INVALID_ARGUMENT"), Self.badRequest([violation])]
        )
    }

    /// The registration token is none.
    static let badToken = Self(
        httpStatus: 400,
        status: "INVALID_ARGUMENT",
        message: "The registration token is not a valid FCM registration token",
        details: [Self.fcmError("INVALID_ARGUMENT")]
    )

    /// The message is too big for a device.
    static let tooBig = Self(
        httpStatus: 400,
        status: "INVALID_ARGUMENT",
        message: "The message is too big",
        details: [Self.fcmError("INVALID_ARGUMENT")]
    )

    /// The device is gone.
    static let unregistered = Self.code("UNREGISTERED", message: "Requested entity was not found.")

    /// The token was given to an app of another project.
    static let senderMismatch = Self.code("SENDER_ID_MISMATCH", message: "SenderId mismatch")

    /// The bearer token is not taken.
    static func unauthenticated(_ reason: String) -> Self {
        Self(
            httpStatus: 401,
            status: "UNAUTHENTICATED",
            message: "The request has no valid OAuth 2 access token.",
            details: [Self.errorInfo(reason)]
        )
    }

    /// The bearer token is good, but not for this.
    static func denied(_ reason: String, message: String) -> Self {
        Self(httpStatus: 403, status: "PERMISSION_DENIED", message: message, details: [Self.errorInfo(reason)])
    }

    /// A refusal by its code, with the status that belongs to it.
    ///
    /// - Parameters:
    ///   - code: FCM's error code, or the name of an rpc code for a refusal without FCM's detail.
    ///   - httpStatus: In place of the code's own status.
    ///   - message: For people.
    /// - Returns: The refusal.
    static func code(_ code: String, httpStatus: Int? = nil, message: String? = nil) -> Self {
        let known = Self.fcmCodes[code] ?? Self.rpcCodes.first { $0.value == code }.map { ($0.key, $0.value) }
        let status = httpStatus ?? known?.0 ?? 500
        let details: [JSONValue] =
            switch code {
            case "UNAUTHENTICATED": [Self.errorInfo("ACCESS_TOKEN_EXPIRED")]
            case "PERMISSION_DENIED": [Self.errorInfo("IAM_PERMISSION_DENIED")]
            case "NOT_FOUND", "RESOURCE_EXHAUSTED": []
            default: [Self.fcmError(code)]
            }
        let rpc = known?.1 ?? Self.rpcCodes[status] ?? "UNKNOWN"
        return Self(httpStatus: status, status: rpc, message: message ?? "Refused: \(code)", details: details)
    }

    /// The code a rule means that names only a status.
    static func usualCode(for status: Int) -> String {
        switch status {
        case 400: "INVALID_ARGUMENT"
        case 401: "UNAUTHENTICATED"
        case 403: "SENDER_ID_MISMATCH"
        case 404: "UNREGISTERED"
        case 429: "QUOTA_EXCEEDED"
        case 503: "UNAVAILABLE"
        default: status < 500 ? "UNSPECIFIED_ERROR" : "INTERNAL"
        }
    }

    private static let fcmCodes: [String: (Int, String)] = [
        "INVALID_ARGUMENT": (400, "INVALID_ARGUMENT"),
        "THIRD_PARTY_AUTH_ERROR": (401, "UNAUTHENTICATED"),
        "SENDER_ID_MISMATCH": (403, "PERMISSION_DENIED"),
        "UNREGISTERED": (404, "NOT_FOUND"),
        "QUOTA_EXCEEDED": (429, "RESOURCE_EXHAUSTED"),
        "INTERNAL": (500, "INTERNAL"),
        "UNAVAILABLE": (503, "UNAVAILABLE"),
    ]

    private static let rpcCodes: [Int: String] = [
        400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND",
        429: "RESOURCE_EXHAUSTED", 500: "INTERNAL", 503: "UNAVAILABLE",
    ]

    private static func fcmError(_ code: String) -> JSONValue {
        .object([
            .init(name: "@type", value: .string("type.googleapis.com/google.firebase.fcm.v1.FcmError")),
            .init(name: "errorCode", value: .string(code)),
        ])
    }

    private static func badRequest(_ violations: [FCMFieldViolation]) -> JSONValue {
        .object([
            .init(name: "@type", value: .string("type.googleapis.com/google.rpc.BadRequest")),
            .init(
                name: "fieldViolations",
                value: .array(
                    violations.map { violation in
                        .object([
                            .init(name: "field", value: .string(violation.field)),
                            .init(name: "description", value: .string(violation.text)),
                        ])
                    }
                )
            ),
        ])
    }

    private static func errorInfo(_ reason: String) -> JSONValue {
        .object([
            .init(name: "@type", value: .string("type.googleapis.com/google.rpc.ErrorInfo")),
            .init(name: "reason", value: .string(reason)),
            .init(name: "domain", value: .string("googleapis.com")),
            .init(
                name: "metadata",
                value: .object([.init(name: "service", value: .string("fcm.googleapis.com"))])
            ),
        ])
    }
}
