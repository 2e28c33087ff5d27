/// The error with which FCM rejects a message, as in its error body.
///
/// Sources: firebase.google.com "FCM error codes" and "ErrorCode"; the envelope is Google's common one.
struct FCMRejection: Error {
    /// The HTTP status.
    var httpStatus: Int
    /// The name of the google.rpc code.
    var status: String
    /// A text for developers.
    var message: String
    /// Machine-readable parts.
    var details: [JSONValue]

    /// The reason under which the error is counted: FCM's error code when there is one, else the rpc code.
    var reason: String {
        for detail in self.details {
            if let code = detail["errorCode"]?.stringValue { return code }
        }
        return self.status
    }

    /// The response.
    var reply: SimulatorReply {
        var error: [JSONValue.JSONMember] = [
            .init(name: "code", value: .integer(Int64(self.httpStatus))),
            .init(name: "message", value: .string(self.message)),
            .init(name: "status", value: .string(self.status)),
        ]
        if !self.details.isEmpty { error.append(.init(name: "details", value: .array(self.details))) }
        let challenge: [(name: String, value: String)] =
            self.httpStatus == 401 ? [("www-authenticate", "Bearer realm=\"https://accounts.google.com/\"")] : []
        return .json(self.httpStatus, headers: challenge, ["error": .object(error)])
    }
}

extension FCMRejection {
    /// Makes the error for JSON that does not match the message types: unknown names, values of the wrong type.
    static func malformed(_ violations: [FCMFieldViolation]) -> Self {
        Self(
            httpStatus: 400,
            status: "INVALID_ARGUMENT",
            message: violations.map(\.text).joined(separator: "\n"),
            details: [Self.badRequest(violations)]
        )
    }

    /// Makes the error for an invalid value in JSON that matches the message types.
    static func invalid(_ violation: FCMFieldViolation) -> Self {
        Self(
            httpStatus: 400,
            status: "INVALID_ARGUMENT",
            message: violation.text,
            details: [Self.fcmError("INVALID_ARGUMENT"), Self.badRequest([violation])]
        )
    }

    /// The registration token is malformed.
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

    /// The device is unregistered.
    static let unregistered = Self.code("UNREGISTERED", message: "Requested entity was not found.")

    /// The token belongs to an app of another project.
    static let senderMismatch = Self.code("SENDER_ID_MISMATCH", message: "SenderId mismatch")

    /// Makes the error for an invalid bearer token.
    static func unauthenticated(_ reason: String) -> Self {
        Self(
            httpStatus: 401,
            status: "UNAUTHENTICATED",
            message: "The request has no valid OAuth 2 access token.",
            details: [Self.errorInfo(reason)]
        )
    }

    /// Makes the error for a valid bearer token without the permission.
    static func denied(_ reason: String, message: String) -> Self {
        Self(httpStatus: 403, status: "PERMISSION_DENIED", message: message, details: [Self.errorInfo(reason)])
    }

    /// Makes an error by its code, with the code's status.
    ///
    /// - Parameters:
    ///   - code: FCM's error code, or the name of an rpc code for an error without FCM's detail.
    ///   - httpStatus: The status to use instead of the code's own.
    ///   - message: A text for developers.
    /// - Returns: The error.
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

    /// Returns the code for a rule that names only a status.
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
        ["@type": .string("type.googleapis.com/google.firebase.fcm.v1.FcmError"), "errorCode": .string(code)]
    }

    private static func badRequest(_ violations: [FCMFieldViolation]) -> JSONValue {
        let listed = violations.map { violation -> JSONValue in
            ["field": .string(violation.field), "description": .string(violation.text)]
        }
        return [
            "@type": .string("type.googleapis.com/google.rpc.BadRequest"), "fieldViolations": .array(listed),
        ]
    }

    private static func errorInfo(_ reason: String) -> JSONValue {
        [
            "@type": .string("type.googleapis.com/google.rpc.ErrorInfo"), "reason": .string(reason),
            "domain": .string("googleapis.com"), "metadata": ["service": .string("fcm.googleapis.com")],
        ]
    }
}
