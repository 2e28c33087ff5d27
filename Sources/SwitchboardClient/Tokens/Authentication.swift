/// The authentication method of a session, with the credential of the consumer.
public struct Authentication: Sendable {
    /// The closed set behind the methods of this version.
    enum Method: Sendable {
        case none
        case anonymous
        case copilot(userID: String)
        case signedPayload(sdkKeyName: String, payload: [String: JSONValue])
        case parameters(AuthenticationParameters)
        case delegate
    }

    /// The method.
    let method: Method

    /// Nobody yet: pushes are registered once ``SwitchboardClient/reconnect(_:)`` gives a credential.
    public static let none = Authentication(method: .none)
    /// A consumer without an identifier, where the brand allows it.
    public static let anonymous = Authentication(method: .anonymous)
    /// A user of the brand, for whom the ``CopilotTokenProvider`` obtains keys.
    public static func copilot(userID: String) -> Authentication { Authentication(method: .copilot(userID: userID)) }
    /// A user whom the brand's signing service identifies, by the ``PayloadSigner``.
    ///
    /// The library does not learn who it is: log out before another user logs in, or the stored session continues.
    ///
    /// - Parameters:
    ///   - sdkKeyName: The name of the SDK key; names are not secret.
    ///   - payload: The members to sign; the signing service adds the identity.
    /// - Returns: The method.
    public static func signedPayload(sdkKeyName: String, payload: [String: JSONValue] = [:]) -> Authentication {
        Authentication(method: .signedPayload(sdkKeyName: sdkKeyName, payload: payload))
    }
    /// A consumer with an assertion or an authorization code.
    public static func parameters(_ parameters: AuthenticationParameters) -> Authentication {
        Authentication(method: .parameters(parameters))
    }
    /// A consumer whom the ``AuthorizationDelegate`` authorizes by an access token when it is asked.
    ///
    /// The library does not learn who it is: log out before another consumer logs in.
    public static let delegate = Authentication(method: .delegate)

    /// The user as far as the app names one: the id of Copilot, or the subject in an assertion that is not encrypted.
    ///
    /// It is not verified; it only shows that another user logs in.
    var subject: String? {
        switch method {
        case .copilot(let userID): userID
        case .parameters(let parameters): parameters.subject
        case .none, .anonymous, .signedPayload, .delegate: nil
        }
    }
}
