/// The error of the token endpoint (RFC 6749 section 5.2).
struct OAuthError: Error {
    /// The error code of the standard.
    var error: String
    /// A text for developers.
    var text: String

    /// The response.
    var reply: SimulatorReply {
        .json(
            self.error == "invalid_client" ? 401 : 400,
            headers: [("cache-control", "no-store")],
            ["error": .string(self.error), "error_description": .string(self.text)]
        )
    }

    static func grant(_ text: String) -> Self { Self(error: "invalid_grant", text: text) }
}
