import Foundation

/// The credential of a consumer in the flows of LivePerson: an assertion (implicit flow) or a code (code flow).
public struct AuthenticationParameters: Sendable, Hashable {
    /// The closed set behind the credentials of this version.
    enum Credential: Sendable, Hashable {
        case assertion(String)
        case code(AuthorizationCode)
    }

    /// The credential.
    var credential: Credential
    /// The PKCE verifier of the code; nil takes the one of ``SwitchboardClient/getPkceParams(accountID:)``, if that was
    /// called for one account only.
    public var codeVerifier: String?
    /// The display name of the issuer, when the brand has several.
    public var issuerDisplayName: String?

    /// Creates the parameters of the implicit flow; the assertion is reused until it expires.
    ///
    /// - Parameters:
    ///   - jwt: A JWT or JWE of the brand's login system.
    ///   - issuerDisplayName: The display name of the issuer.
    public init(jwt: String, issuerDisplayName: String? = nil) {
        credential = .assertion(jwt)
        self.issuerDisplayName = issuerDisplayName
    }

    /// Creates the parameters of the code flow; a code is used once.
    ///
    /// - Parameters:
    ///   - code: The authorization code.
    ///   - redirectURI: The redirect URI of the code.
    ///   - codeVerifier: The PKCE verifier.
    ///   - issuerDisplayName: The display name of the issuer.
    public init(code: String, redirectURI: String, codeVerifier: String? = nil, issuerDisplayName: String? = nil) {
        credential = .code(AuthorizationCode(code: code, redirectURI: redirectURI))
        self.codeVerifier = codeVerifier
        self.issuerDisplayName = issuerDisplayName
    }

    /// The assertion, if it is encrypted: a JWE has five parts.
    var encryptedAssertion: String? {
        guard case .assertion(let token) = credential else { return nil }
        return token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).count == 5 ? token : nil
    }

    /// The claim `sub`, or `identifier`, of an assertion that is not encrypted; not verified.
    var subject: String? {
        guard case .assertion(let token) = credential else { return nil }
        let parts = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let claims = Base64URL.decode(String(decoding: parts[1], as: UTF8.self)),
            let json = JSONValue(parsing: claims)
        else { return nil }
        return json["sub"]?.text ?? json["identifier"]?.text
    }
}

extension AuthenticationParameters: CustomStringConvertible {
    /// The kind of the credential, without its text.
    public var description: String {
        switch credential {
        case .assertion: "assertion"
        case .code: "code"
        }
    }
}

/// An authorization code with its redirect URI.
struct AuthorizationCode: Sendable, Hashable {
    var code: String
    var redirectURI: String
}

/// The parameters of PKCE (RFC 7636) for the app's authorization request.
public struct PkceParameters: Sendable, Hashable, Codable {
    /// The secret that redeems the code: 43 unreserved characters.
    public let codeVerifier: String
    /// The text for `code_challenge` of the authorization request.
    public let codeChallenge: String
    /// The text for `code_challenge_method`: always `S256`.
    public let codeChallengeMethod: String

    /// Creates parameters for a verifier.
    init(verifier: String) {
        codeVerifier = verifier
        codeChallenge = Base64URL.encode(SHA256Hash.hash(Array(verifier.utf8)))
        codeChallengeMethod = "S256"
    }

    /// Returns parameters with a random verifier.
    static func random() -> PkceParameters { PkceParameters(verifier: Base64URL.encode(RandomText.bytes(32))) }
}

extension PkceParameters: CustomStringConvertible {
    /// The public part of the parameters.
    public var description: String { codeChallengeMethod + " " + codeChallenge }
}
