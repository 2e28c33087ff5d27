public import Foundation

/// The app's source of keys for a user, as in Copilot.
///
/// The library calls it when an authenticated call has no usable key, and holds the key alone: do not cache one.
public protocol CopilotTokenProvider: Sendable {
    /// Obtains a key from the app's back-end.
    ///
    /// - Parameter userID: The user of the current session.
    /// - Returns: The key.
    /// - Throws: ``CopilotTokenError``; any other error counts as general.
    func generateUserAuthKey(for userID: String) async throws -> String
}

/// An error of a ``CopilotTokenProvider``.
public enum CopilotTokenError: Error, Sendable, Hashable {
    /// The network failed, or the back-end did not respond in time; the call is repeated.
    case connectivity(debugMessage: String)
    /// The user cannot correct it; the call is not repeated.
    case general(debugMessage: String)

    /// The error that reaches the caller.
    var error: SwitchboardError {
        switch self {
        case .connectivity(let message): SwitchboardError(.connectivity, message)
        case .general(let message): SwitchboardError(.general, message)
        }
    }
}

/// A ``CopilotTokenProvider`` by a function with a completion; its first result counts.
public struct CopilotTokenCallback: CopilotTokenProvider {
    /// The result of a request for a key.
    public typealias Completion = @Sendable (Result<String, CopilotTokenError>) -> Void

    private let body: @Sendable (String, @escaping Completion) -> Void

    /// Creates a provider.
    public init(_ body: @escaping @Sendable (_ userID: String, _ completion: @escaping Completion) -> Void) {
        self.body = body
    }

    /// Calls the function and returns its first result.
    public func generateUserAuthKey(for userID: String) async throws -> String {
        try await withCheckedThrowingContinuation { continuation in
            let outcome = OneOutcome(continuation)
            body(userID) { result in outcome.resume(result.mapError { $0 as any Error }) }
        }
    }
}

/// The kind of a payload to sign, as in CCAI Platform.
public struct PayloadType: Sendable, Hashable {
    /// The name of the kind.
    public let name: String

    /// The payload that authenticates the end user: the only one that the library asks for by itself.
    public static let authToken = PayloadType(name: "auth_token")
    /// Data of the app for the agent.
    public static let customData = PayloadType(name: "custom_data")
}

/// The app's way to the brand's signing service, as in CCAI Platform.
///
/// There is no signer in the library, and it takes no company secret.
public protocol PayloadSigner: Sendable {
    /// Has a payload signed by the brand's back-end.
    ///
    /// Exactly one of `success` and `failure` counts, once.
    ///
    /// - Parameters:
    ///   - payload: The members to sign.
    ///   - type: The kind of the payload.
    ///   - success: Takes the signed token.
    ///   - failure: Takes the error of the signing service.
    func signPayload(
        _ payload: [String: JSONValue],
        type: PayloadType,
        success: @escaping @Sendable (String) -> Void,
        failure: @escaping @Sendable (any Error) -> Void
    )
}

extension PayloadSigner {
    /// Has a payload signed; the first result counts.
    func signed(_ payload: [String: JSONValue], type: PayloadType) async throws -> String {
        try await withCheckedThrowingContinuation { continuation in
            let outcome = OneOutcome(continuation)
            signPayload(
                payload,
                type: type,
                success: { outcome.resume(.success($0)) },
                failure: { outcome.resume(.failure($0)) }
            )
        }
    }
}

/// The app's decision about interactions, as in Talkdesk.
public protocol AuthorizationDelegate: AnyObject, Sendable {
    /// Begins an authorization; respond with ``SwitchboardClient/authorize(with:)`` before the time is over.
    ///
    /// Called when an interaction starts without an authorization, and when the present one has expired.
    func shouldAuthorize()
}

/// The response of an ``AuthorizationDelegate``.
public enum InteractionAuthorization: Sendable, Hashable, CustomStringConvertible {
    /// The session token that the app's back-end obtained.
    case accessToken(String)
    /// The interaction is denied.
    case notAuthorized(reason: String)

    /// The decision, without the token.
    public var description: String {
        switch self {
        case .accessToken: "accessToken"
        case .notAuthorized(let reason): "notAuthorized(\(reason))"
        }
    }

    /// Reads the response of the app's back-end to a request for an access token.
    ///
    /// Both forms are accepted: the token as text with status 200, and JSON with `auth_token` and status 201.
    ///
    /// - Parameters:
    ///   - status: The status of the response.
    ///   - body: The body.
    /// - Returns: The token; a denial for everything else, with the reason of the back-end.
    public static func response(status: Int, body: Data) -> InteractionAuthorization {
        let json = JSONValue(parsing: body)
        switch status {
        case 201:
            if let token = json?["auth_token"]?.text { return .accessToken(token) }
        case 200:
            if let token = json?["auth_token"]?.text { return .accessToken(token) }
            let text = String(decoding: body, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
            let isToken = text.utf8.allSatisfy { (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "<") }
            if json?.members == nil, !text.isEmpty, isToken { return .accessToken(text) }
        default: break
        }
        let problem = json?["error"].flatMap { $0.members == nil ? nil : $0 } ?? json
        let reason = (problem?["reason"] ?? problem?["detail"] ?? problem?["message"] ?? problem?["error"])?.text
        return .notAuthorized(reason: reason ?? "the back-end responded \(status)")
    }
}
