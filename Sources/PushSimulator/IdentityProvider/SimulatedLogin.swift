/// The person who signs in at the authorization endpoint of the simulated identity provider, without a page.
package struct SimulatedLogin: Sendable, Equatable {
    /// A fault of the provider.
    package enum Fault: String, CaseIterable, Sendable {
        /// It sends the browser back with an error in place of a code.
        case denied
        /// It sends the browser back with another state.
        case state
        /// It sends the browser back in another issuer's name.
        case issuer
        /// The token has another nonce.
        case nonce
        /// The token has no nonce.
        case noNonce
        /// The token is for another client.
        case audience
        /// The token is for several clients, and names none as the party.
        case audiences
        /// The token is for this client, but another one is the party.
        case party
        /// The token has expired.
        case expired
        /// The token was issued before the sign-in was begun.
        case old
        /// The token is of another issuer.
        case tokenIssuer
        /// The token is signed with a key that is not published.
        case key
    }

    /// The redirect URIs of the client, compared as texts.
    package var redirectURIs: [String]
    /// The claims about the person.
    package var claims: [JSONValue.JSONMember]
    /// The fault of the provider; nil for none.
    package var fault: Fault?

    /// Creates a person.
    package init(redirectURIs: [String], claims: [JSONValue.JSONMember], fault: Fault? = nil) {
        self.redirectURIs = redirectURIs
        self.claims = claims
        self.fault = fault
    }

    /// Parses the form of the control port: `{"redirectUris","claims","fault"?}`.
    ///
    /// - Parameter text: UTF-8.
    /// - Returns: The person.
    /// - Throws: ``RuleError`` for anything unknown or missing.
    package static func parse(_ text: [UInt8]) throws(RuleError) -> SimulatedLogin {
        guard let json = try? JSONValue(parsing: text) else { throw RuleError(description: "not JSON") }
        var reader = try RuleReader(json, at: "the login")
        let uris = reader.take("redirectUris")?.elements?.compactMap(\.stringValue) ?? []
        guard !uris.isEmpty else { throw reader.error("\"redirectUris\" must have texts") }
        guard let claims = reader.take("claims")?.members else { throw reader.error("\"claims\" must be an object") }
        let name = try reader.string("fault")
        let fault = name.flatMap(Fault.init(rawValue:))
        guard name == nil || fault != nil else {
            let names = Fault.allCases.map(\.rawValue).joined(separator: ", ")
            throw reader.error("\"fault\" must be one of \(names)")
        }
        try reader.end()
        return SimulatedLogin(redirectURIs: uris, claims: claims, fault: fault)
    }
}
