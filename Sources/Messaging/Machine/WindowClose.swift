package import Identity
package import Telemetry

/// The close of a window: the code and the reason of its close frame (MessagingWindow page).
package struct WindowClose: Error, Sendable, Equatable {
    /// The close code.
    package var code: UInt16
    /// The reason text: `code`, or `code: reason`; at most 123 bytes.
    package var text: String
    /// The metric label.
    package var label: WindowCloseLabel

    /// Creates a close.
    package init(_ code: UInt16, _ text: String, _ label: WindowCloseLabel) {
        self.code = code
        self.text = text
        self.label = label
    }

    /// Creates the close for a token that is not accepted.
    package init(_ error: AuthenticationError) {
        switch error {
        case .tokenExpired: self = .tokenExpired
        case .upstreamUnavailable: self = .unavailable
        case .unauthorized, .invalidClaim, .missingClaim, .tokenInvalid:
            let reason = error.reason ?? TokenInvalidReason.malformed.rawValue
            self.init(4403, "token_invalid: \(reason)", .refused)
        }
    }

    /// Returns the close for a message that is not a JSON object; `detail` is what it is instead.
    package static func unreadable(_ detail: String) -> WindowClose {
        WindowClose(4400, "invalid_request: \(detail)", .badFrame)
    }

    /// The token has expired.
    package static let tokenExpired = WindowClose(4401, "token_expired", .unauthenticated)
    /// The token of an anonymous consumer has expired: LivePerson's code for it.
    package static let anonymousExpired = WindowClose(4407, "token_expired", .unauthenticated)
    /// There is no token.
    package static let tokenMissing = WindowClose(4401, "token_missing", .unauthenticated)
    /// The session's credential or its brand was deleted.
    package static let revoked = WindowClose(.tokenInvalid(.revoked))
    /// The token is another consumer's, or is bound to another device.
    package static let forbidden = WindowClose(4403, "forbidden", .refused)
    /// The session ended.
    package static let loggedOut = WindowClose(4409, "logged_out", .loggedOut)
    /// A limit is reached.
    package static let overloaded = WindowClose(1013, "overloaded", .overloaded)
    /// A service that the gateway calls does not respond.
    package static let unavailable = WindowClose(1013, "overloaded: unavailable", .overloaded)
    /// The client does not read.
    package static let slow = WindowClose(1013, "overloaded: slow_reader", .slow)
    /// The client sends too many frames.
    package static let tooManyFrames = WindowClose(1008, "rate_limited", .badFrame)
    /// A message is too large.
    package static let tooBig = WindowClose(1009, "payload_too_large", .badFrame)
    /// The bytes are not the WebSocket protocol.
    package static let protocolError = WindowClose(1002, "protocol_error", .badFrame)
    /// The gateway stops.
    package static let goingAway = WindowClose(1001, "going_away", .goingAway)
}
