/// An error of the device library.
///
/// Decide by ``code``. New codes may be added, so a `switch` needs a `default`.
public struct SwitchboardError: Error, Sendable, Hashable {
    /// The kind of error.
    public var code: Code
    /// A sentence for developers; never a token, a code or a payload.
    public var message: String
    /// The refinement that the gateway or the app gave, such as `bad_signature` or the reason of a denial.
    public var reason: String?
    /// The id of the request in the gateway's log; nil if there was no response.
    public var requestID: String?
    /// The shortest time until a repetition makes sense; nil if the gateway named none.
    public var retryAfter: Duration?

    /// Creates an error, for token providers of an app.
    ///
    /// - Parameters:
    ///   - code: The kind of error.
    ///   - message: A sentence for developers.
    ///   - reason: The refinement, if there is one.
    ///   - requestID: The id of the request, if there was a response.
    ///   - retryAfter: The shortest time until a repetition makes sense.
    public init(
        _ code: Code,
        _ message: String,
        reason: String? = nil,
        requestID: String? = nil,
        retryAfter: Duration? = nil
    ) {
        self.code = code
        self.message = message
        self.reason = reason
        self.requestID = requestID
        self.retryAfter = retryAfter
    }

    /// Whether the same call may succeed later without a change by the app.
    public var isRetryable: Bool { code.value.isRetryable }

    /// Returns an error of the library for any error, so that callers see one type.
    init(wrapping error: any Error) {
        switch error {
        case let error as SwitchboardError: self = error
        case is CancellationError: self.init(.cancelled, "the task was cancelled")
        default: self.init(.general, "\(type(of: error))")
        }
    }
}

extension SwitchboardError {
    /// The kind of error.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The closed set behind the codes of this version.
        enum Value: String, CaseIterable {
            case connectivity
            case general
            case unauthorized
            case providerMissing
            case authorizationTimeout
            case notAuthorized
            case disabled
            case notInitialized
            case parameterMissing
            case tokenExpired
            case authenticationFailed
            case forbidden
            case notFound
            case gone
            case conflict
            case invalidRequest
            case rateLimited
            case overloaded
            case server
            case malformedResponse
            case responseTooLarge
            case storage
            case sessionEnded
            case tooManyCalls
            case cancelled

            /// Whether a repetition may succeed.
            var isRetryable: Bool {
                switch self {
                case .connectivity, .rateLimited, .overloaded, .server, .malformedResponse: true
                default: false
                }
            }
        }

        /// The code in the closed set.
        let value: Value

        /// The name of the code, stable and fit for logs and metrics.
        public var description: String { value.rawValue }

        /// No response: no network, or a timeout.
        public static let connectivity = Code(value: .connectivity)
        /// An error that the user cannot correct.
        public static let general = Code(value: .general)
        /// There is no credential for the call; nothing was sent.
        public static let unauthorized = Code(value: .unauthorized)
        /// A token provider of the app is missing or of the wrong kind.
        public static let providerMissing = Code(value: .providerMissing)
        /// The app did not authorize an interaction in time.
        public static let authorizationTimeout = Code(value: .authorizationTimeout)
        /// The app, or its back-end, denied the authorization; `reason` says why.
        public static let notAuthorized = Code(value: .notAuthorized)
        /// Initialisation failed twice; every call fails until the process starts again.
        public static let disabled = Code(value: .disabled)
        /// There is no active session: call `initialize` first.
        public static let notInitialized = Code(value: .notInitialized)
        /// A required parameter of the configuration is missing or malformed.
        public static let parameterMissing = Code(value: .parameterMissing)
        /// The credential has expired: give a fresh one with `reconnect`.
        public static let tokenExpired = Code(value: .tokenExpired)
        /// The credential will never be accepted; `reason` says why.
        public static let authenticationFailed = Code(value: .authenticationFailed)
        /// The caller may not do this, and a new token will not help.
        public static let forbidden = Code(value: .forbidden)
        /// There is no such object.
        public static let notFound = Code(value: .notFound)
        /// The time of the object is over.
        public static let gone = Code(value: .gone)
        /// The state of the object does not allow the call.
        public static let conflict = Code(value: .conflict)
        /// The gateway does not accept a member of the request.
        public static let invalidRequest = Code(value: .invalidRequest)
        /// Too many requests.
        public static let rateLimited = Code(value: .rateLimited)
        /// The gateway cannot handle the request now.
        public static let overloaded = Code(value: .overloaded)
        /// An error of the gateway.
        public static let server = Code(value: .server)
        /// The response is not what the gateway's contract says, as from a proxy in between.
        public static let malformedResponse = Code(value: .malformedResponse)
        /// The body of the response is longer than the library reads; a repetition would get the same.
        public static let responseTooLarge = Code(value: .responseTooLarge)
        /// The device's storage cannot be read or written.
        public static let storage = Code(value: .storage)
        /// The session ended while the call ran; its result was discarded.
        public static let sessionEnded = Code(value: .sessionEnded)
        /// More calls wait than the library keeps.
        public static let tooManyCalls = Code(value: .tooManyCalls)
        /// The task of the caller was cancelled.
        public static let cancelled = Code(value: .cancelled)
    }
}

extension SwitchboardError: CustomStringConvertible {
    /// The code, the sentence, the reason and the id of the request.
    public var description: String {
        var text = "\(code): \(message)"
        if let reason { text += " (\(reason))" }
        if let requestID { text += " [request \(requestID)]" }
        return text
    }
}
