package import Identity
package import Telemetry

/// How a window ends: the code and the words of its close frame (MessagingWindow page).
package struct WindowClose: Error, Sendable, Equatable {
    /// The close code.
    package var code: UInt16
    /// The reason text: `code`, or `code: reason`; at most 123 bytes.
    package var text: String
    /// What it counts as.
    package var label: WindowCloseLabel

    /// Takes an end.
    ///
    /// - Parameters:
    ///   - code: The close code.
    ///   - text: The reason text.
    ///   - label: What it counts as.
    package init(_ code: UInt16, _ text: String, _ label: WindowCloseLabel) {
        self.code = code
        self.text = text
        self.label = label
    }

    /// The end that a refused token means.
    ///
    /// - Parameter error: Why it was refused.
    package init(_ error: AuthenticationError) {
        switch error {
        case .tokenExpired: self = .tokenExpired
        case .upstreamUnavailable: self = .unavailable
        case .unauthorized, .invalidClaim, .tokenInvalid:
            let reason = error.reason ?? TokenInvalidReason.malformed.rawValue
            self.init(4403, "token_invalid: \(reason)", .refused)
        }
    }

    /// A message that is not a JSON object.
    ///
    /// - Parameter detail: What it is instead.
    /// - Returns: The end.
    package static func unreadable(_ detail: String) -> WindowClose {
        WindowClose(4400, "invalid_request: \(detail)", .badFrame)
    }

    /// The token's time is over.
    package static let tokenExpired = WindowClose(4401, "token_expired", .unauthenticated)
    /// There is no token.
    package static let tokenMissing = WindowClose(4401, "token_missing", .unauthenticated)
    /// The session's credential, or its brand, is gone.
    package static let revoked = WindowClose(.tokenInvalid(.revoked))
    /// The token is another consumer's, or is bound to another device.
    package static let forbidden = WindowClose(4403, "forbidden", .refused)
    /// The session ended.
    package static let loggedOut = WindowClose(4409, "logged_out", .loggedOut)
    /// A limit was reached.
    package static let overloaded = WindowClose(1013, "overloaded", .overloaded)
    /// Whom the gateway asked does not answer.
    package static let unavailable = WindowClose(1013, "overloaded: unavailable", .overloaded)
    /// The client does not read.
    package static let slow = WindowClose(1013, "overloaded: slow_reader", .slow)
    /// The client sends too much.
    package static let tooManyFrames = WindowClose(1008, "rate_limited", .badFrame)
    /// A message is too big.
    package static let tooBig = WindowClose(1009, "payload_too_large", .badFrame)
    /// What came is not the WebSocket protocol.
    package static let protocolError = WindowClose(1002, "protocol_error", .badFrame)
    /// The gateway stops.
    package static let goingAway = WindowClose(1001, "going_away", .goingAway)
}
